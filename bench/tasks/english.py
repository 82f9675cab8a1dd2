"""English material for long tasks."""

from bench.tasks.material import Change, Fact, Sort, TaskMaterial

_YEARS = ("1931", "1948", "1962", "1975", "1987", "1996", "2004")
_PEOPLE = ("Ilse Varga", "Tomas Reyl", "Nadia Okoro", "Henrik Solberg", "Mei Tanaka", "Paulo Brandt", "Edith Kwan")

_BRIDGES = Sort(
    ("Harrow Bridge", "Tolmin Bridge", "Aster Bridge", "Calder Bridge", "Senn Bridge", "Oakley Bridge"),
    (
        Fact(
            (
                "{who} is {value} metres long.",
                "The length of {who} is {value} metres.",
                "{who} has a length of {value} metres.",
                "{who} measures {value} metres from end to end.",
            ),
            "How long is {who}?",
            ("312", "418", "527", "640", "755"),
        ),
        Fact(
            (
                "{who} was opened in {value}.",
                "{who} was opened to traffic in {value}.",
                "{who} opened in {value}.",
                "The opening of {who} was in {value}.",
            ),
            "When was {who} opened?",
            _YEARS,
        ),
        Fact(
            (
                "{who} was designed by {value}.",
                "The designer of {who} was {value}.",
                "{value} designed {who}.",
            ),
            "Who designed {who}?",
            _PEOPLE,
        ),
        Fact(
            (
                "{who} is built of {value}.",
                "{who} was built of {value}.",
                "{who} is made of {value}.",
                "The material of {who} is {value}.",
            ),
            "What is {who} built of?",
            ("granite", "steel", "concrete", "brick"),
        ),
        Fact(
            (
                "{who} cost {value} million euros.",
                "The cost of {who} was {value} million euros.",
                "{value} million euros were spent on {who}.",
                "{who} was built for {value} million euros.",
            ),
            "How much did {who} cost?",
            ("23", "41", "58", "76", "94"),
        ),
        Fact(
            (
                "{who} crosses the river {value}.",
                "The river under {who} is the {value}.",
                "{who} spans the {value}.",
                "{who} leads over the river {value}.",
            ),
            "Which river does {who} cross?",
            ("Marl", "Tessen", "Ovre", "Lind"),
        ),
    ),
    (
        "Many travellers stop near {who} to look at the valley.",
        "Painters have come to {who} for generations.",
        "In winter, {who} is often wrapped in fog.",
        "Local guides like to end their walks at {who}.",
    ),
)
_MUSEUMS = Sort(
    ("the Lantern Museum", "the Harbour Museum", "the Glass Museum", "the Clock Museum", "the Textile Museum"),
    (
        Fact(
            (
                "{who} was founded in {value}.",
                "The founding year of {who} is {value}.",
                "{who} was established in {value}.",
                "{who} has existed since {value}.",
            ),
            "When was {who} founded?",
            _YEARS,
        ),
        Fact(
            (
                "The director of {who} is {value}.",
                "{who} is directed by {value}.",
                "{value} is the director of {who}.",
                "{value} directs {who}.",
            ),
            "Who is the director of {who}?",
            _PEOPLE,
        ),
        Fact(
            (
                "{who} has {value} visitors a year.",
                "{who} counts {value} visitors a year.",
                "Every year {value} people visit {who}.",
                "The number of visitors to {who} is {value} a year.",
            ),
            "How many visitors does {who} have a year?",
            ("42,000", "67,000", "85,000", "120,000", "190,000"),
        ),
        Fact(
            (
                "{who} is located in {value}.",
                "{who} is in the city of {value}.",
                "{who} stands in {value}.",
                "The seat of {who} is {value}.",
            ),
            "In which city is {who}?",
            ("Porto", "Bergen", "Ghent", "Turin", "Graz"),
        ),
        Fact(
            (
                "A ticket to {who} costs {value} euros.",
                "The ticket price of {who} is {value} euros.",
                "Admission to {who} is {value} euros.",
                "Visitors pay {value} euros to enter {who}.",
            ),
            "How much is a ticket to {who}?",
            ("6", "9", "12", "15", "18"),
        ),
        Fact(
            (
                "The collection of {who} has {value} objects.",
                "{who} owns {value} objects.",
                "{who} holds {value} objects.",
                "There are {value} objects in {who}.",
            ),
            "How many objects does {who} own?",
            ("3,400", "5,100", "7,800", "9,600"),
        ),
    ),
    (
        "School classes come to {who} all year round.",
        "The café of {who} is known for its cakes.",
        "Volunteers help to look after the rooms of {who}.",
        "Reviewers praise the quiet rooms of {who}.",
    ),
)
_STATIONS = Sort(
    ("the Corvo observatory", "the Nareth observatory", "the Pella observatory", "the Ysgard observatory"),
    (
        Fact(
            (
                "{who} stands at an altitude of {value} metres.",
                "The altitude of {who} is {value} metres.",
                "{who} lies {value} metres above the sea.",
                "{who} is {value} metres above sea level.",
            ),
            "At what altitude does {who} stand?",
            ("1,850", "2,240", "2,635", "3,090"),
        ),
        Fact(
            (
                "The main mirror of {who} measures {value} metres.",
                "{who} has a main mirror of {value} metres.",
                "The diameter of the main mirror of {who} is {value} metres.",
            ),
            "How large is the main mirror of {who}?",
            ("2.4", "3.6", "4.2", "6.5"),
        ),
        Fact(
            (
                "{who} is headed by {value}.",
                "The head of {who} is {value}.",
                "{value} is the head of {who}.",
                "{value} heads {who}.",
            ),
            "Who is the head of {who}?",
            _PEOPLE,
        ),
        Fact(
            (
                "{who} began its work in {value}.",
                "The work of {who} began in {value}.",
                "{who} has been at work since {value}.",
                "{who} started working in {value}.",
            ),
            "When did {who} begin its work?",
            _YEARS,
        ),
        Fact(
            ("{value} people work at {who}.", "{who} employs {value} people."),
            "How many people work at {who}?",
            ("28", "35", "47", "62", "81"),
        ),
    ),
    (
        "Clear nights make {who} a favourite place of astronomers.",
        "The road to {who} is narrow and steep.",
        "Visitors may look through a small telescope at {who}.",
        "Snow can close the way to {who} for days.",
    ),
)
_COMPANIES = Sort(
    ("Veldor Optics", "Quillon Foods", "Brastad Shipping", "Ombra Textiles", "Kestrel Robotics", "Lumen Paper"),
    (
        Fact(
            (
                "{who} has its headquarters in {value}.",
                "The headquarters of {who} are in {value}.",
                "{who} is based in {value}.",
                "The head office of {who} is in {value}.",
            ),
            "Where are the headquarters of {who}?",
            ("Rotterdam", "Lyon", "Tampere", "Leeds", "Malaga"),
        ),
        Fact(
            (
                "The chief executive of {who} is {value}.",
                "{who} is led by its chief executive {value}.",
                "{value} is the chief executive of {who}.",
                "{value} runs {who} as chief executive.",
            ),
            "Who is the chief executive of {who}?",
            _PEOPLE,
        ),
        Fact(
            ("{who} has {value} employees.", "{who} employs {value} people."),
            "How many employees does {who} have?",
            ("640", "1,150", "2,300", "4,800"),
        ),
        Fact(
            (
                "{who} was founded in {value}.",
                "The founding year of {who} is {value}.",
                "{who} was established in {value}.",
                "{who} has existed since {value}.",
            ),
            "When was {who} founded?",
            _YEARS,
        ),
        Fact(
            (
                "The annual revenue of {who} is {value} million euros.",
                "{who} has an annual revenue of {value} million euros.",
                "{who} earns {value} million euros a year.",
                "The yearly turnover of {who} is {value} million euros.",
            ),
            "What is the annual revenue of {who}?",
            ("85", "140", "220", "310"),
        ),
    ),
    (
        "Analysts describe {who} as careful and steady.",
        "{who} publishes a magazine for its customers.",
        "Former apprentices of {who} meet every summer.",
        "The logo of {who} has hardly changed.",
    ),
)

_CHANGES = (
    Change(
        (
            "I live in {value}.",
            "My flat is in {value}, that is where I live.",
            "My home is in {value}.",
            "I have been living in {value}.",
        ),
        (
            "I moved from {old} to {value}.",
            "I no longer live in {old}, I live in {value} now.",
            "I have left {old} and settled in {value}.",
            "These days I live in {value} instead of {old}.",
        ),
        "Where does the user live?",
        ("Porto", "Malmö", "Nairobi", "Osaka", "Halifax"),
    ),
    Change(
        (
            "I work as a {value}.",
            "I am a {value} by profession.",
            "I earn my living as a {value}.",
            "My job is that of a {value}.",
        ),
        (
            "I quit my job as a {old} and work as a {value} now.",
            "I am no longer a {old}, I work as a {value}.",
            "I used to be a {old}; now I am a {value}.",
            "I switched from {old} to {value}.",
        ),
        "What does the user work as?",
        ("nurse", "carpenter", "translator", "pilot"),
    ),
    Change(
        (
            "My dog is called {value}.",
            "The name of my dog is {value}.",
            "I named my dog {value}.",
            "My dog answers to the name of {value}.",
        ),
        (
            "I renamed my dog from {old} to {value}.",
            "My dog is not called {old} any more, my dog is called {value}.",
            "My dog used to be called {old}, but my dog is called {value} now.",
            "I changed the name of my dog to {value}.",
        ),
        "What is the user's dog called?",
        ("Biscuit", "Tofu", "Pixel", "Mochi"),
    ),
    Change(
        (
            "My thesis is due on {value}.",
            "The deadline of my thesis is {value}.",
            "I have to hand in my thesis on {value}.",
            "My thesis must be finished by {value}.",
        ),
        (
            "The deadline of my thesis was moved from {old} to {value}.",
            "My thesis is now due on {value}, not {old}.",
            "The deadline of my thesis was postponed to {value}.",
            "My thesis is due on {value} instead of {old}.",
        ),
        "When is the user's thesis due?",
        ("March 3", "April 12", "May 20", "June 7"),
    ),
    Change(
        (
            "I pay {value} dollars of rent a month.",
            "My monthly rent is {value} dollars.",
            "My rent is {value} dollars a month.",
            "The rent of my flat is {value} dollars a month.",
        ),
        (
            "My monthly rent went up from {old} to {value} dollars.",
            "My monthly rent is {value} dollars now.",
            "My rent was raised to {value} dollars a month.",
            "I now pay {value} dollars of rent a month instead of {old}.",
        ),
        "How much rent does the user pay?",
        ("850", "990", "1200", "1450"),
    ),
    Change(
        (
            "I commute by {value}.",
            "I get to the office by {value}.",
            "I go to work by {value}.",
            "My way to work is by {value}.",
        ),
        (
            "I no longer commute by {old}, I commute by {value} now.",
            "I stopped commuting by {old}; I commute by {value} now.",
            "I gave up commuting by {old} and go to work by {value}.",
            "I go to work by {value} now, not by {old}.",
        ),
        "How does the user commute?",
        ("bicycle", "tram", "ferry", "car"),
    ),
)

_TALK = (
    ("Can you suggest a recipe with aubergines?", "Roast them with garlic and serve them with yoghurt."),
    ("What is a good way to learn chords on the guitar?", "Practise changing between two chords slowly."),
    ("The weather was lovely on Sunday.", "It sounds like a good day for a walk."),
    ("How do I keep basil alive on the windowsill?", "Give it light and water it from below."),
    ("I watched a film about deep-sea divers.", "Those films often have wonderful pictures."),
    ("Which stretches help against a stiff neck?", "Turn the head slowly from side to side."),
    ("My neighbour plays the trumpet in the evening.", "Perhaps you can agree on a time."),
    ("Could you explain how a tide comes about?", "The moon's gravity pulls the water of the sea."),
    ("I am reading a long novel about sailors.", "Long novels are good company on trains."),
    ("What should I pack for a weekend in the hills?", "Take a rain jacket and good shoes."),
    ("The bakery round the corner has new rolls.", "Fresh rolls make a fine breakfast."),
    ("How can I remember names better?", "Repeat a name aloud when you hear it."),
    ("There was a street festival with drummers.", "Drummers can be heard from far away."),
    ("Why do cats knead blankets?", "It reminds them of being kittens."),
    ("I tried to repair the old radio.", "Old radios often need a new capacitor."),
    ("What is a simple exercise for the back?", "Lie down and lift the hips slowly."),
)

ENGLISH = TaskMaterial(
    (_BRIDGES, _MUSEUMS, _STATIONS, _COMPANIES),
    (
        "From a travel magazine about {who}:",
        "From a regional newspaper about {who}:",
        "From a blog about {who}:",
        "From a yearbook on {who}:",
    ),
    _CHANGES,
    _TALK,
    ("user", "assistant"),
    " ",
)
