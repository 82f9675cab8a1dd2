"""English material for pairs of memories."""

from bench.pairs.material import Amount, Frame, Material, Opposition, Topic

_PEOPLE = (
    "Ingrid", "Tomasz", "Priya", "Kwame", "Leila", "Marcus", "Yuki", "Noor", "Dr. Okafor", "Mrs. Lindqvist",
    "the user", "my roommate", "our landlord", "the new intern", "Uncle Renato",
)  # fmt: skip
_PROJECTS = ("the Heron project", "our billing service", "the mobile app", "the data warehouse", "the intranet portal")
_SYSTEMS = ("the login service", "the search backend", "the reporting tool", "our checkout page", "the sync daemon")
_EVENTS = ("the design review", "the board meeting", "Leila's wedding", "the dentist appointment", "the product demo",
           "the choir rehearsal", "the lease signing", "the marathon")  # fmt: skip

ATTRIBUTES = (
    Topic(
        _PEOPLE,
        (
            "{who} lives in {value}.",
            "{who} is based in {value}.",
            "{value} is where {who} lives.",
            "{who} has an apartment in {value} and lives there.",
        ),
        ("Porto", "Malmö", "Nairobi", "Osaka", "Halifax", "Tallinn"),
        (
            "{who} moved from {old} to {value}.",
            "{who} has left {old} and now lives in {value}.",
            "{who} relocated to {value} last month.",
        ),
    ),
    Topic(
        _PEOPLE,
        ("{who} works as a {value}.", "{who} is a {value} by profession.", "{who} earns a living as a {value}."),
        ("nurse", "carpenter", "translator", "pilot", "tax advisor", "geologist"),
        ("{who} quit the job as a {old} and became a {value}.", "{who} is no longer a {old} but a {value}."),
    ),
    Topic(
        _PEOPLE,
        (
            "{who}'s favourite colour is {value}.",
            "The colour {who} likes best is {value}.",
            "{value} is {who}'s favourite colour.",
        ),
        ("teal", "maroon", "beige", "turquoise", "crimson"),
    ),
    Topic(
        _PEOPLE,
        ("{who}'s cat is called {value}.", "{who} named the cat {value}.", "The name of {who}'s cat is {value}."),
        ("Biscuit", "Tofu", "Pixel", "Mochi", "Waffles"),
    ),
    Topic(
        _PROJECTS,
        (
            "{who} uses {value} as its database.",
            "The database behind {who} is {value}.",
            "{who} stores its data in {value}.",
        ),
        ("MySQL", "CockroachDB", "Cassandra", "MongoDB", "DuckDB"),
        ("{who} was migrated from {old} to {value}.", "{who} has switched from {old} to {value}."),
    ),
    Topic(
        _PROJECTS,
        (
            "{who} is written in {value}.",
            "The programming language of {who} is {value}.",
            "{value} is the language {who} is implemented in.",
        ),
        ("Kotlin", "Elixir", "Haskell", "Ruby", "Scala"),
        ("{who} has been rewritten from {old} into {value}.",),
    ),
    Topic(
        _PROJECTS,
        ("{value} leads {who}.", "The lead of {who} is {value}.", "{who} is led by {value}."),
        ("Hannah", "Oluwaseun", "Dmitri", "Farah", "Jun"),
        ("{value} has taken over the lead of {who} from {old}.", "{old} handed {who} over to {value}."),
    ),
    Topic(
        _EVENTS,
        ("{who} takes place in {value}.", "{who} will be held in {value}.", "The venue of {who} is {value}."),
        ("the town hall", "room 4.12", "the old library", "the Grand Hotel", "the boathouse"),
        ("{who} was moved from {old} to {value}.",),
    ),
    Topic(
        _PEOPLE,
        ("{who} commutes by {value}.", "{who} gets to the office by {value}.", "{who} goes to work by {value}."),
        ("bicycle", "tram", "ferry", "car"),
        ("{who} used to commute by {old} but now goes by {value}.",),
    ),
    Topic(
        _PEOPLE,
        ("{who}'s blood type is {value}.", "{who} has blood type {value}."),
        ("A negative", "B positive", "AB negative", "O positive"),
    ),
    Topic(
        _PEOPLE,
        ("{who} was born in {value}.", "{who}'s birthplace is {value}.", "{who} came into the world in {value}."),
        ("Bergen", "Accra", "Lahore", "Winnipeg", "Valencia"),
    ),
    Topic(
        _PEOPLE,
        ("{who} is married to {value}.", "{who}'s spouse is {value}.", "{value} is the person {who} is married to."),
        ("Beatriz", "Stefan", "Amara", "Piotr"),
    ),
    Topic(
        _SYSTEMS,
        ("The default branch of {who} is {value}.", "{who} has {value} as its default branch."),
        ("main", "develop", "trunk", "stable"),
        ("The default branch of {who} was renamed from {old} to {value}.",),
    ),
    Topic(
        _PEOPLE,
        ("{who} studies {value} at university.", "{who} is a student of {value}.", "{who}'s major is {value}."),
        ("astronomy", "linguistics", "economics", "veterinary medicine"),
        ("{who} changed majors from {old} to {value}.",),
    ),
    Topic(
        _PEOPLE,
        ("{who} prefers {value} mode in every editor.", "{who} wants every editor in {value} mode."),
        ("dark", "light", "high-contrast"),
    ),
    Topic(
        _PEOPLE,
        ("{who} drinks {value} in the morning.", "In the morning {who} has {value}."),
        ("green tea", "black coffee", "hot chocolate", "orange juice"),
        ("{who} gave up {old} in the morning and switched to {value}.",),
    ),
)

AMOUNTS = (
    Amount(_PROJECTS, ("The budget of {who} is {n} euros.", "{who} has a budget of {n} euros.",
                       "{n} euros are set aside for {who}."), (1200, 4500, 8000, 15000, 60000),
           ("The budget of {who} was raised to {n} euros.",)),
    Amount(_PROJECTS, ("{n} people work on {who}.", "The team of {who} has {n} members.",
                       "{who} is staffed with {n} people."), (3, 5, 7, 9, 12, 20),
           ("The team of {who} has grown to {n} members.",)),
    Amount(_PEOPLE, ("{who} is {n} years old.", "{who}'s age is {n}.", "{who} has turned {n}."), (24, 31, 38, 45, 67)),
    Amount(_SYSTEMS, ("{who} listens on port {n}.", "The port of {who} is {n}.", "{who} runs on port {n}."),
           (3000, 5432, 8080, 9090), ("{who} now listens on port {n} instead.",), spelled=False),
    Amount(_PEOPLE, ("{who} has {n} children.", "{who} is a parent of {n} children.", "{who} has {n} kids."),
           (2, 3, 4, 5)),
    Amount(_PEOPLE, ("{who} pays {n} dollars of rent a month.", "{who}'s monthly rent is {n} dollars.",
                     "The monthly rent of {who} is ${n}."), (850, 990, 1200, 1450, 2100),
           ("{who}'s monthly rent went up to {n} dollars.",)),
    Amount(_PEOPLE, ("{who} takes {n} mg of the medicine a day.", "{who}'s daily dose of the medicine is {n} mg."),
           (5, 10, 20, 40, 75), ("{who}'s daily dose of the medicine was changed to {n} mg.",)),
    Amount(_SYSTEMS, ("{who} times out after {n} seconds.", "The timeout of {who} is {n} seconds.",
                      "{who} gives up after {n} seconds."), (10, 15, 30, 45, 90),
           ("The timeout of {who} was set to {n} seconds.",)),
    Amount(_PEOPLE, ("{who} weighs {n} kg.", "{who}'s weight is {n} kilograms."), (52, 61, 74, 88, 103)),
    Amount(_EVENTS, ("{n} guests are expected at {who}.", "{who} will have {n} guests."), (14, 35, 50, 80, 120)),
    Amount(_EVENTS, ("{who} lasts {n} minutes.", "{who} is {n} minutes long."), (20, 40, 75, 100, 110)),
    Amount(_PROJECTS, ("{who} must answer within {n} ms.", "The latency limit of {who} is {n} milliseconds."),
           (50, 150, 250, 400), spelled=False),
)  # fmt: skip

DATES = (
    Topic(_EVENTS, ("{who} is on {value}.", "{who} takes place on {value}.", "The date of {who} is {value}.",
                    "{who} is scheduled for {value}."),
          updates=("{who} was postponed from {old} to {value}.", "{who} has been moved to {value}.")),
    Topic(_PROJECTS, ("The deadline of {who} is {value}.", "{who} is due on {value}.", "{who} must be done by {value}.",
                      "{who} has to be finished by {value}."),
          updates=("The deadline of {who} was extended to {value}.",)),
    Topic(_PEOPLE, ("{who}'s birthday is {value}.", "{who} was born on {value}.",
                    "{who} celebrates birthday on {value}.")),
    Topic(_PEOPLE, ("{who} flies to Santiago on {value}.", "{who}'s flight to Santiago leaves on {value}.",
                    "{who} is flying out to Santiago on {value}."),
          updates=("{who}'s flight to Santiago was rebooked to {value}.",)),
    Topic(_PEOPLE, ("{who} started at the company on {value}.", "{who}'s first day at the company was {value}.",
                    "{who} joined the company on {value}.")),
    Topic(_PROJECTS, ("{who} goes live on {value}.", "The launch of {who} is planned for {value}.",
                      "{who} will be launched on {value}."),
          updates=("The launch of {who} slipped to {value}.",)),
    Topic(_PEOPLE, ("{who}'s passport expires on {value}.", "{who}'s passport is valid until {value}.")),
)  # fmt: skip

OPPOSITIONS = (
    Opposition(_PEOPLE, ("{who} eats meat.", "{who} does eat meat."),
               ("{who} does not eat meat.", "{who} never eats meat.", "{who} doesn't eat any meat.")),
    Opposition(_PEOPLE, ("{who} has a driving licence.", "{who} holds a driving licence."),
               ("{who} does not have a driving licence.", "{who} has no driving licence.")),
    Opposition(_PEOPLE, ("{who} is allergic to peanuts.", "{who} has a peanut allergy."),
               ("{who} is not allergic to peanuts.", "{who} has no peanut allergy.")),
    Opposition(_PEOPLE, ("{who} can swim.", "{who} knows how to swim."), ("{who} cannot swim.", "{who} can't swim.")),
    Opposition(_SYSTEMS, ("{who} supports single sign-on.", "Single sign-on works with {who}."),
               ("{who} does not support single sign-on.", "{who} lacks support for single sign-on.")),
    Opposition(_SYSTEMS, ("The tests of {who} pass.", "All tests of {who} are passing."),
               ("The tests of {who} do not pass.", "The tests of {who} fail.", "The tests of {who} are failing.")),
    Opposition(_EVENTS, ("{who} has been confirmed.", "{who} is confirmed."),
               ("{who} has not been confirmed.", "{who} is unconfirmed.")),
    Opposition(_PROJECTS, ("{who} is finished.", "{who} has been completed."),
               ("{who} is not finished yet.", "{who} is unfinished.", "{who} is still incomplete.")),
    Opposition(_PEOPLE, ("{who} likes spicy food.", "{who} enjoys spicy food."),
               ("{who} dislikes spicy food.", "{who} doesn't like spicy food.", "{who} hates spicy food.")),
    Opposition(_PEOPLE, ("{who} signed the contract.", "The contract was signed by {who}."),
               ("{who} did not sign the contract.", "{who} refused to sign the contract.",
                "{who} never signed the contract.")),
    Opposition(_PEOPLE, ("{who} wants to receive the weekly newsletter.", "{who} agreed to get the weekly newsletter."),
               ("{who} does not want to receive the weekly newsletter.",
                "{who} no longer wants the weekly newsletter.")),
    Opposition(_SYSTEMS, ("Logging is enabled in {who}.", "Logging is turned on in {who}."),
               ("Logging is disabled in {who}.", "Logging is turned off in {who}.",
                "Logging is not enabled in {who}.")),
    Opposition(_PEOPLE, ("{who} smokes.", "{who} is a smoker."),
               ("{who} does not smoke.", "{who} no longer smokes.", "{who} has stopped smoking.")),
    Opposition(_PEOPLE, ("{who} approved the proposal.", "The proposal got {who}'s approval."),
               ("{who} rejected the proposal.", "{who} did not approve the proposal.")),
    Opposition(_PEOPLE, ("{who} speaks Portuguese.", "{who} is able to speak Portuguese."),
               ("{who} does not speak Portuguese.", "{who} speaks no Portuguese.")),
)  # fmt: skip

INDEPENDENT = (
    Topic(_PEOPLE, ("{who} likes {value}.", "{who} enjoys {value}."),
          ("hiking", "chess", "pottery", "opera", "surfing")),
    Topic(_PEOPLE, ("{who} bought {value}.",), ("a tent", "a rice cooker", "two lamps", "a violin")),
    Topic(_PEOPLE, ("{who} has visited {value}.", "{who} once travelled to {value}."),
          ("Peru", "Iceland", "Vietnam", "Morocco")),
    Topic(_PEOPLE, ("{who} read a book about {value}.",), ("whales", "the Silk Road", "typography", "bread baking")),
    Topic(_PROJECTS, ("{who} depends on {value}.",), ("the payment gateway", "the address service", "the mail relay")),
    Topic(_SYSTEMS, ("A user reported {value} in {who}.",), ("a broken link", "a slow page", "a missing icon")),
    Topic(_PEOPLE, ("{who} asked about {value}.",), ("the visa rules", "the parking permit", "the wifi password")),
)  # fmt: skip

PARAPHRASES = (
    ("Kwame not only plays the cello but also the piano.", "Kwame plays both the cello and the piano."),
    ("It is not true that Noor dislikes dogs.", "Noor likes dogs."),
    ("The meeting lasts an hour and a half.", "The meeting takes 90 minutes."),
    ("Priya is a vegetarian.", "Priya doesn't eat meat."),
    ("The parcel weighs 2 kg.", "The parcel weighs 2000 grams."),
    ("Yuki gave up smoking.", "Yuki no longer smokes."),
    ("The server is down.", "The server is not running."),
    ("Nobody but Marcus has the key.", "Only Marcus has the key."),
    ("The library stays open until 8 pm.", "The library closes at 20:00."),
    ("Ingrid cannot stand coriander.", "Ingrid hates coriander."),
    ("Tomasz hardly ever drinks alcohol.", "Tomasz rarely drinks alcohol."),
    ("We will not ship on Friday unless the tests pass.", "We ship on Friday only if the tests pass."),
    ("Leila never misses a deadline.", "Leila always meets her deadlines."),
    ("The flat costs 1.2k a month.", "The rent of the flat is 1,200 per month."),
    ("The invoice has not been paid yet.", "The invoice is still unpaid."),
    ("The user wants answers without emojis.", "The user doesn't want emojis in answers."),
    ("A dozen people signed up.", "Twelve people signed up."),
    ("The project was cancelled.", "The project will not be continued."),
    ("Renato has no siblings.", "Renato is an only child."),
    ("The door was left unlocked.", "Nobody locked the door."),
)

CHANGES = (
    ("Ingrid works at Vestas.", "Ingrid left Vestas and joined Ørsted in March."),
    ("The standup is at 9:30.", "The standup has been moved to 10:00."),
    ("Marcus drives an old Volvo.", "Marcus sold his Volvo and now drives a Honda."),
    ("The office is on the third floor.", "The office has moved to the fifth floor."),
    ("Our CI runs on Jenkins.", "Our CI was moved from Jenkins to GitHub Actions."),
    ("Noor is single.", "Noor got married in June."),
    ("The user is looking for a flat.", "The user has found a flat and stopped looking."),
    ("Yuki is learning German.", "Yuki has stopped learning German."),
    ("The app is in beta.", "The app has left beta and is now generally available."),
    ("Deploys happen on Thursdays.", "Deploys now happen on Mondays instead."),
)

OTHER_SCOPES = (
    ("Ingrid's phone number ends in 42.", "Ingrid's office number ends in 77."),
    ("The staging server runs Ubuntu.", "The production server runs Debian."),
    ("In winter the shop opens at ten.", "In summer the shop opens at eight."),
    ("Tomasz was a waiter when he was a student.", "Tomasz is an architect today."),
    ("The old contract ran for two years.", "The new contract runs for five years."),
    ("Last year the team had 6 people.", "This year the team has 11 people."),
    ("On weekdays Leila gets up at six.", "On Sundays Leila gets up at nine."),
    ("The ground floor is painted white.", "The attic is painted green."),
    ("In Berlin Kwame rented a room.", "In Lyon Kwame owned a house."),
    ("The beginner course costs 90 euros.", "The advanced course costs 150 euros."),
    ("Priya's first flight leaves at 7:00.", "Priya's second flight leaves at 13:20."),
    ("Version 1 supports only SQLite.", "Version 2 supports PostgreSQL, too."),
    ("Her older son is 12.", "Her younger son is 8."),
    ("For lunch Marcus has soup.", "For dinner Marcus has pasta."),
    ("The API key for testing is read-only.", "The API key for releases has write access."),
)

FRAMES = (
    Frame("In 2019, {said}", "In 2023, {said}"),
    Frame("Before the merger, {said}", "After the merger, {said}"),
    Frame("For customers in Canada, {said}", "For customers in Brazil, {said}"),
    Frame("On the test system, {said}", "On the live system, {said}"),
    Frame("During the first semester, {said}", "During the second semester, {said}"),
)
RELATIVES = ("{who}'s brother", "{who}'s neighbour", "{who}'s mother", "{who}'s best friend", "a colleague of {who}")

ENGLISH = Material(
    ATTRIBUTES, AMOUNTS, DATES, OPPOSITIONS, INDEPENDENT, PARAPHRASES, CHANGES, OTHER_SCOPES, FRAMES, RELATIVES
)
