"""English word lists."""

SYNONYMS = """
begin start commence
big large huge enormous giant
small little tiny
child kid toddler
man guy gentleman fellow male
woman lady female
person people human individual somebody someone
buy purchase
beautiful pretty gorgeous
end finish complete conclude
error bug defect fault
fast quick rapid speedy
fix repair
flat apartment
receive obtain
go travel
help assist
holiday vacation
home house
look watch see view observe gaze stare
near close_to beside next_to
need require
company firm employer
photo picture photograph
car automobile
bike bicycle cycle
street road
shop store
speak talk chat converse
tell inform
think believe
try attempt
use utilise utilize
want wish
whole entire
wrong incorrect
rock stone
sea ocean
sofa couch
cap hat
outside outdoors outdoor
inside indoors indoor
smile grin
jump leap hop
throw toss
shirt t-shirt
film movie
meal dish
team crew
doctor physician
lawyer attorney
boss supervisor
spouse partner
rent lease
city town
mobile cellphone phone
price cost
mail email e-mail
rarely seldom hardly_ever scarcely
nearly almost
often frequently
maybe perhaps possibly
alone by_oneself
expect anticipate
contain include
permit allow let
forbid prohibit ban
choose select pick
show display
delete remove erase
make create build
join enter
licence license
colour color
favourite favorite
organise organize arrange plan schedule
programme program
centre center
wed marry
lead led leader
own owner
headquarters head_office main_office
"""

# Where one side is denied, the other holds.
STRICT = """
enable turn_on turned_on switch_on activate on | disable turn_off switch_off deactivate off
pass succeed success | fail failure
open | close shut
win | lose
accept approve agree confirm grant endorse approval acceptance | reject decline refuse disapprove veto deny turn_down
  rejection refusal
present here | absent
alive living | dead die deceased
true correct right | false wrong
possible | impossible
legal lawful allowed permitted | illegal unlawful forbidden prohibited banned
public | private
online up_and_running | offline down
full-time | part-time
include cover | exclude
remember | forget
find | lose
guilty | innocent
lock | unlock
safe | dangerous unsafe
visible | hidden invisible
free gratis | paid
awake | asleep sleep
same identical equal | different
temporary | permanent
required mandatory compulsory obligatory | optional voluntary
alone solitary | together crowd group
empty vacant | full occupied crowded
ready | unready
keep retain | drop discard abandon
active | inactive dormant
finish complete done | unfinished incomplete ongoing pending
available | unavailable sold_out
busy | free idle
dressed clothed | naked nude
indoors inside indoor | outdoors outside outdoor garden backyard
moving | still motionless stationary
silent quiet | loud noisy
local | remote
manual | automatic
odd | even
"""

# Both sides can be denied: what is not hot need not be cold.
CONTRARY = """
like love enjoy adore fond favour appreciate ~ dislike hate detest loathe despise
hot warm ~ cold cool chilly freezing
big large tall huge ~ small tiny little short
old elderly aged ~ young
new modern ~ old ancient outdated
happy glad cheerful joyful smile laugh ~ sad unhappy miserable upset cry frown angry
fast quick ~ slow
rich wealthy ~ poor
early ~ late
high ~ low
long ~ short
heavy ~ light
strong ~ weak
easy simple ~ hard difficult
good great excellent ~ bad terrible awful poor
cheap inexpensive ~ expensive costly
dry ~ wet soaked
clean ~ dirty filthy
dark ~ light bright
sunny ~ rainy snowy cloudy
day daytime ~ night
increase rise grow raise gain ~ decrease fall shrink reduce drop lose decline
before ~ after
first ~ last
push ~ pull
love ~ hate
friend ~ enemy
healthy well ~ sick ill unwell
calm ~ nervous anxious
arrive come ~ leave depart go
always ~ never rarely
most ~ few
more ~ less fewer
thin slim ~ fat thick
deep ~ shallow
wide broad ~ narrow
near ~ far
support ~ oppose
trust ~ distrust
buy ~ sell
borrow ~ lend
laugh ~ cry
ascend climb ~ descend
introvert ~ extrovert
optimistic ~ pessimistic
left ~ right
north ~ south
east ~ west
up ~ down
morning ~ evening
sleep ~ work
stable ~ unstable flaky
"""

# One value at a time; words between slashes are the same value.
GROUPS = """
colour: red / blue / green / yellow / orange / purple violet / pink / brown / black / white / grey gray / teal
  / navy / beige / gold golden / silver / maroon / turquoise
sex: man boy father son brother uncle grandfather husband king
  / woman girl mother daughter sister aunt grandmother wife queen
posture: sit / stand / lie lay sleep nap asleep / kneel / walk stroll march / run jog sprint / swim / fly / crawl
doing: eat dine / sleep nap asleep / read / dance / sing / cook bake / swim / paint draw / fish / drive / shop / study
  / fight wrestle box / ski snowboard / surf / climb / skate skateboard / cycle bike / pray / knit sew / bath shower
  / sunbathe / drown / camp / hike / hunt / film / vacuum / argue / juggle / golf
day_part: morning / noon midday / afternoon / evening / night midnight
season: spring springtime / summer summertime / autumn / winter wintertime
weekday: monday / tuesday / wednesday / thursday / friday / saturday / sunday
setting: beach shore / mountain cliff / street / park playground / restaurant cafe diner / kitchen / office
  / school classroom / church / mall shop supermarket / home bedroom bed couch / pool / forest woods jungle / desert
  / farm / train subway / bus / airport / hospital / library / gym / stadium / lake / river / bar pub / museum / zoo
  / garage / bathroom bathtub / theater theatre cinema / cave / moon / prison jail / bank / factory
animal: dog puppy / cat kitten / horse / bird / fish / cow / elephant / monkey / sheep / pig / lion / tiger / bear
  / rabbit
vehicle: car / bus / train / bike / motorcycle motorbike / boat ship / plane airplane / truck / scooter / tram
  / ferry / subway
meal: breakfast / lunch / dinner supper
drink: tea / coffee / beer / wine / water / juice / milk / chocolate
instrument: guitar / piano / violin / drum / flute / trumpet / cello / saxophone
sport: football / soccer / basketball / baseball / tennis / golf / hockey / volleyball / rugby / cricket / chess
weather: sunny / rainy rain / snowy snow / foggy
marital: single unmarried / marry / divorced / widowed
direction: left / right
compass: north / south / east / west
job: nurse / doctor / teacher / lawyer / engineer / carpenter / pilot / chef cook / waiter / artist / painter
  / musician / farmer / soldier / policeman / firefighter / plumber / dentist / journalist / accountant / architect
  / programmer developer / scientist / translator / actor / student / manager / designer / librarian / mechanic
  / electrician
diet: vegan / vegetarian / omnivore
nationality: american / chinese / japanese / german / french / british / italian / spanish / indian / russian
  / canadian / brazilian / mexican / korean
continent: asian / african / european
material: wood wooden / metal / plastic / glass / paper / leather / stone
mood: happy / sad / angry / bored / scared
food: pizza / burger hamburger / salad / soup / sandwich / cake / ice_cream / pasta spaghetti / steak / sushi / fruit
crowd: alone / crowd group
tool: hammer / knife / brush / gun / sword
state: draft / review / published / archived
theme: dark / light
age: baby infant / teenager / adult / elderly
"""

# What a sentence speaks of; the words of one line ask for the same value.
ATTRIBUTES = """
residence: live reside base dwell home settle relocate apartment resident move
employer: work_at work_for employ employer job
job: work_as job profession occupation career a_living my_living his_living her_living their_living earn_living
birthplace: birthplace native born
birthday: birthday birthdate born birth
name: call name nickname
age: age aged turn
weight: weigh weight
height: height
spouse: marry spouse husband wife wed
leader: lead leader manage manager owner own captain chair responsible
database: database data store storage
language: language write written implement
venue: venue location hold take_place locate situate seat
date: date schedule day hold take_place
deadline: deadline due finish done hand_in submit turn_in
launch: launch go_live release ship
price: price cost charge fee rent pay budget admission ticket fare spend spent entry
port: port listen
timeout: timeout time_out give_up
dose: dose take
major: major study student
commute: commute go_to_work get_to_work way_to_work office
expiry: expire valid expiry
joined: join start first_day
favourite: favourite best
size: size member team staff employee employ workforce
river: river span cross
material: built_of made_of built_from made_from material
duration: last duration take
length: length long measure
width: width wide
depth: depth deep
area: area cover
publication: publish publication appear
altitude: altitude elevation sea_level above_sea above_the_sea
diameter: diameter
population: population inhabitant resident
visitors: visitor visit attendance audience
capacity: capacity seat accommodate
speed: speed
revenue: revenue turnover sales earn income
headquarters: headquarter base seat
holdings: collection holding own hold possess exhibit object
founding: founded founding establish exist foundation establishment
opening: open opening inauguration inaugurate
drink: drink
color: colour
version: version
branch: branch
salary: salary earn wage
school: school elementary kindergarten college university pupil enrol enroll
boss: report_to answer_to boss supervisor
timezone: timezone
flight: flight fly plane
blood: blood
"""

SEVERAL = """
like love enjoy know visit read buy sell see meet have own contain include support depend ask report mention use speak
want need try learn play watch hear find eat drink call write make say tell send receive bring show help go travel
attend invite recommend discuss consider hate dislike
"""

SINGLE = """
favourite only default main primary sole best prefer official capital all every always choose select adopt pick
"""

RELATIVES = """
brother sister mother father mom mum dad son daughter husband wife friend neighbour neighbor colleague coworker boss
uncle aunt cousin nephew niece grandmother grandfather grandma grandpa partner spouse roommate flatmate assistant
manager teacher parent child kid twin stepmother stepfather girlfriend boyfriend fiancee fiance ex landlord tenant
successor predecessor rival competitor teammate dog cat
"""

UNIQUE_HOLDER = """
lead own win head chair run captain founded invent discover marry responsible charge manage design designer direct
director author president mayor principal founder inventor editor architect chief compose conduct coach edit executive
"""

# Verbs by which the subject of a sentence can be told from what is said of it.
VERBS = """
accept add advise agree allow answer apply approve arrive ask attend avoid bake be become begin believe belong book born
borrow break bring build buy call cancel care carry catch celebrate change charge check choose clean climb close
collect come commute complete confirm connect contain continue cook cost cover create cry cut cycle dance decide
decline delete depend deploy design die dislike draw drink drive earn eat employ end enjoy enter exist expect expire
explain fail fall feel fight fill find finish fix fly follow forget found gain get give go graduate grow handle hang
happen hate have hear help hide hike hit hold hope host include increase invite join jump keep kick kill know lack
land last
laugh launch lead learn leave lend let lie like listen live look lose love make manage marry mean measure meet mention
miss move name need offer open operate order organise own paint park pass pay perform plan play post prefer prepare
produce promise provide publish pull push put quit raise read receive recommend record reduce refuse reject release
rely relocate remain remember remove rent repair replace reply report require reside resign return ride rise run
say schedule see seem sell send serve set share ship shop show shut sign sing sit skip sleep smile smoke speak spend
stand start stay stop store study suffer suggest support swim switch take talk teach tell think throw time travel try
admire appear appoint attract beat border broadcast coach compose conduct consist control count cross date defeat
describe design develop direct display divide dominate edit elect employ encourage enlarge establish examine exceed
exhibit exist expand explore export express extend face feature finance flow form govern guard head honour house hunt
import improve influence inhabit inherit inspire install invent invest link locate lower maintain mark market mine
monitor number observe occupy oppose originate oversee possess praise preserve print protect prove purchase reach
rebuild reopen represent rescue respect restore retain reveal rule score seat secure separate settle situate span
specialise sponsor star stretch succeed supervise supply surround sustain target test total trade train translate
treat unite value welcome worship
turn type understand update use visit wait wake walk want wash watch wear weigh win wish work worry write
"""

# Who is the first denies the rest of himself.
IMPLIED = """
vegetarian vegan: eat meat
teetotal teetotaller teetotaler sober: drink alcohol
non-smoker nonsmoker: smoke
bachelor single unmarried: marry
unemployed jobless: work
childless: child
illiterate: read
homeless: home
"""

# A kind of something, after what it is a kind of.
KINDS = """
sibling: brother sister twin
child: son daughter
pet: dog cat rabbit hamster
meat: beef pork steak chicken lamb bacon ham sausage
alcohol: beer wine whisky whiskey vodka cocktail
instrument: guitar piano violin cello drum flute
vehicle: car truck motorcycle
seafood: shrimp crab lobster shellfish fish
nut: peanut almond walnut cashew
"""

MEMBERS = """
member fan friend user reader supporter customer subscriber part one fellow citizen
"""

SCOPES = """
before after first last
"""

# What happens once: its year is its year.
ONCE = """
exist publish appear graduate retire founded establish born die marry launch release complete begin wed open inaugurate
"""
