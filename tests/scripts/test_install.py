"""The script that installs packages takes them from where pip would."""

from scripts.install import environment, settings_of_pip

LISTED = """\
:env:.find-links='/wheels'
:env:.default-timeout='180'
global.cert='/etc/certificates.pem'
global.extra-index-url='\\nfile:///one/simple\\nfile:///two/simple'
global.find-links='/elsewhere'
install.index-url='https://packages.example/simple'
list.format='columns'
"""


def test_what_pip_is_told_uv_is_told_and_the_strongest_place_wins() -> None:
    assert settings_of_pip(LISTED) == {
        "UV_FIND_LINKS": "/wheels",
        "SSL_CERT_FILE": "/etc/certificates.pem",
        "UV_INDEX": "file:///one/simple file:///two/simple",
        "UV_DEFAULT_INDEX": "https://packages.example/simple",
    }
    assert settings_of_pip("") == {}


def test_what_was_set_for_uv_itself_is_stronger() -> None:
    found = environment({"UV_INDEX": "of pip", "UV_FIND_LINKS": "of pip"}, {"UV_INDEX": "of uv", "HOME": "/home"})
    assert (found["UV_INDEX"], found["UV_FIND_LINKS"], found["HOME"]) == ("of uv", "of pip", "/home")
