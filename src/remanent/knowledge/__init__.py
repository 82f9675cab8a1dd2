"""Documents that agents can stand on: added, cut, indexed, searched, cited and checked against."""
