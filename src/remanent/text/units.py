"""Units of measurement in English and Chinese: what they are called, what they measure, what they come to."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

Dimension = Literal[
    "angle", "area", "count", "data", "energy", "frequency", "length", "mass", "money", "number", "ordinal", "percent",
    "power", "speed", "temperature", "time", "times", "volume",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit under its usual sign, and how much of the base unit of its dimension it is."""

    name: str
    dimension: Dimension
    factor: float = 1.0
    base: str = ""


# name; what it is called; how many base units it is. Currencies have no common base: each is its own.
_TABLE: dict[tuple[Dimension, str], str] = {
    ("mass", "g"): """
        mg 0.001 milligram milligrams 毫克 | g 1 gram grams gramme grammes 克
        | kg 1000 kilo kilos kilogram kilograms 公斤 千克 | 斤 500 | t 1000000 tonne tonnes ton tons 吨
        | oz 28.349523125 ounce ounces 盎司 | lb 453.59237 lbs pound pounds 磅 | st 6350.29318 stone""",
    ("length", "m"): """
        nm 1e-9 纳米 | µm 1e-6 um micron microns 微米 | mm 0.001 millimeter millimeters millimetre millimetres 毫米
        | cm 0.01 centimeter centimeters centimetre centimetres 厘米 公分 | m 1 meter meters metre metres 米 公尺
        | km 1000 kms kilometer kilometers kilometre kilometres 公里 千米 | 里 500 | inch 0.0254 inches 英寸
        | ft 0.3048 foot feet 英尺 | yd 0.9144 yard yards 码 | mi 1609.344 mile miles 英里""",
    ("volume", "l"): """
        ml 0.001 milliliter milliliters millilitre millilitres 毫升 | cl 0.01 | l 1 liter liters litre litres 升 公升
        | gal 3.785411784 gallon gallons 加仑 | pt 0.473176473 pint pints 品脱 | m³ 1000 立方米 | cup 0.24 cups""",
    ("area", "m²"): """
        m² 1 m2 sqm 平方米 平米 | km² 1000000 km2 平方公里 | ha 10000 hectare hectares 公顷 | 亩 666.6667
        | acre 4046.8564224 acres 英亩 | sqft 0.09290304 平方英尺""",
    ("time", "s"): """
        ms 0.001 millisecond milliseconds 毫秒 | s 1 sec secs second seconds 秒 秒钟
        | min 60 mins minute minutes 分钟 | h 3600 hr hrs hour hours 小时 个小时 个钟头 钟头 | day 86400 days 天
        | week 604800 weeks 周 个周 星期 个星期 礼拜 个礼拜
        | month 2629746 months 个月 | year 31556952 years yr yrs 年""",
    ("speed", "m/s"): """
        m/s 1 米每秒 | km/h 0.2777777778 kph kmh 公里每小时 | mph 0.44704 英里每小时 | knot 0.5144444444 knots 节""",
    ("data", "B"): """
        B 1 byte bytes 字节 | KB 1000 kilobyte kilobytes | MB 1000000 megabyte megabytes 兆
        | GB 1000000000 gigabyte gigabytes | TB 1000000000000 terabyte terabytes
        | KiB 1024 | MiB 1048576 | GiB 1073741824""",
    ("power", "W"): """
        W 1 watt watts 瓦 | kW 1000 kilowatt kilowatts 千瓦 | MW 1000000 megawatt megawatts 兆瓦 | hp 745.7 马力""",
    ("energy", "J"): """
        J 1 joule joules 焦耳 | kJ 1000 千焦 | cal 4.184 | kcal 4184 calorie calories 卡路里 大卡 千卡
        | kWh 3600000 度电""",
    ("frequency", "Hz"): "Hz 1 hertz 赫兹 | kHz 1000 | MHz 1000000 | GHz 1000000000",
    ("percent", "%"): "% 1 percent ％ pct",
    ("angle", "°"): "° 1 degree degrees 度",
    ("times", "×"): "× 1 倍",
}

_CURRENCIES = """
    USD $ US$ usd dollar dollars buck bucks 美元 美金 | EUR € eur euro euros 欧元 | GBP £ gbp quid 英镑
    | CNY ¥ ￥ cny rmb yuan 元 块 块钱 元钱 人民币 | JPY jpy yen 日元 | HKD hk$ hkd 港币 港元 | TWD nt$ twd 台币 新台币
    | KRW ₩ krw 韩元 | INR ₹ inr rupee rupees 卢比 | CAD c$ cad | AUD a$ aud | CHF chf
    | BTC ₿ btc bitcoin bitcoins 比特币
"""

# Measure words that only count; "一个" says one, and of what stands after it.
CLASSIFIERS = """
    个 只 条 张 本 台 部 辆 件 套 间 位 名 人 次 遍 岁 口 层 栋 座 所 家 杯 瓶 碗 盘 份 顿 场 回 步 页 章 集 首
    句 篇 道 门 节课 期 批 组 班 队 支 枝 根 把 颗 粒 朵 棵 匹 头 双 对 副 架 艘 幅 封 枚 箱 盒 包 袋 串 堆 排 类
    项 款 字 词 票 分 人次 届 轮 局 号 楼 室
"""


@cache
def units() -> dict[str, Unit]:
    """Return every unit under each of its names, in lower case where that leaves no doubt."""
    found: dict[str, Unit] = {}
    for (dimension, base), rows in _TABLE.items():
        for row in rows.split("|"):
            name, factor, *others = row.split()
            unit = Unit(name, dimension, float(factor), base)
            found |= dict.fromkeys([name, *others], unit)
    found["°C"] = found["℃"] = found["摄氏度"] = found["celsius"] = Unit("°C", "temperature", 1.0, "°C")
    found["°F"] = found["℉"] = found["华氏度"] = found["fahrenheit"] = Unit("°F", "temperature", 5 / 9, "°C")
    for row in _CURRENCIES.split("|"):
        name, *others = row.split()
        found |= dict.fromkeys([name, *others], Unit(name, "money", 1.0, name))
    found |= {word: Unit(word, "count", 1.0, word) for word in CLASSIFIERS.split() if word not in found}
    return found
