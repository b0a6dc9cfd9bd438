const times = {
  night:
    'night midnight moon(?:light|lit)? stars? starry neon aurora dark 夜 晚上 月亮 月光 明月 星空 星光 霓虹 极光',
  dusk: 'sunset dusk twilight evening golden.hour 日落 黄昏 夕阳 傍晚 晚霞',
  dawn: 'sunrise dawn morning mist misty fog foggy 日出 清晨 早晨 黎明 晨 雾',
  day: 'noon day daylight sunny summer spring 白天 中午 晴 阳光 夏 春',
};
export type TimeOfDay = keyof typeof times;

/** Settings of an image; where a prompt names several, the first counts. */
const worlds = {
  underwater:
    'underwater coral reefs? fish(?:es)? dolphins? sharks? octopus jellyfish diving diver 海底 水下 珊瑚 鱼 海豚 鲨 章鱼 水母 潜水',
  space:
    'space planets? galaxy galaxies astronauts? mars universe cosmos cosmic spaceships? aliens? orbit 太空 宇宙 星球 行星 银河 火星 外星 宇航',
  snow: 'snow snowy winter ice icy arctic penguins? christmas ski(?:ing)? frozen 雪 冬 冰 北极 企鹅 圣诞 滑雪',
  desert: 'deserts? dunes? sahara camels? cactus cacti pyramids? 沙漠 骆驼 仙人掌 金字塔 戈壁',
  city: 'city cities town streets? skyline skyscrapers? buildings? tokyo paris london york shanghai roofs? rooftops? cyberpunk neon 城 街 楼 都市 上海 北京 东京 巴黎 屋顶 霓虹 赛博',
  sea: 'seas? ocean beach waves? surf(?:ing|er)? lakes? river islands? harbou?r boats? ships? sail(?:ing|boat)? coast whales? lighthouse bay 海 洋 湖 河 浪 沙滩 岛 船 帆 港 鲸 灯塔 江',
  forest:
    'forests? woods? jungle pines? bamboo foxe?s? bears? deer mushrooms? 森林 树林 丛林 竹 狐 熊 鹿 蘑菇 林',
  mountains:
    'mountains? alps peaks? cliffs? summit himalayas? everest canyon valley volcano fuji 山 峰 岭 峡谷 悬崖 火山 珠穆朗玛',
  meadow:
    'meadows? fields? flowers? gardens? grass hills? roses? tulips? sunflowers? farm spring blossoms? parks? (?<!烟)花 草 田 园 春 农场 玫瑰 向日葵 樱',
};
/** `abstract` is for prompts without a known word. */
export type World = keyof typeof worlds | 'abstract';

/** What falls or floats through the air. */
const weathers = {
  rain: 'rain rainy raining storm umbrella 雨 暴风 伞',
  snowfall: 'snow snowy snowing blizzard christmas winter 雪 冬 圣诞',
  petals: 'petals? blossoms? sakura cherry spring wedding 花瓣 樱 春 婚',
  fireflies: 'fireflies firefly magic magical fairy fairies dream(?:y|s)? 萤 魔法 精灵 梦',
  aurora: 'aurora northern.lights 极光',
  rainbow: 'rainbows? 彩虹 虹',
  clouds: 'clouds? cloudy sky 云 天空',
};
export type Weather = keyof typeof weathers;

const subjects = {
  cat: 'cats? kitten kitty kittens 猫',
  dog: 'dogs? puppy puppies corgi husky 狗 犬 柴',
  robot: 'robots? android mech bots? 机器人 机甲',
  rocket: 'rockets? spaceships? launch 火箭 飞船',
  whale: 'whales? orca 鲸',
  fish: 'fish(?:es)? goldfish shark dolphins? 鱼 海豚 鲨',
  boat: 'boats? ships? sail(?:ing|boat)? yacht 船 帆 舟',
  lighthouse: 'lighthouses? 灯塔',
  balloon: 'balloons? airship 气球',
  house: 'houses? home cabin cottage hut village castle 房 家 屋 村 城堡',
  car: 'cars? taxi bus truck drive driving 车',
  cup: 'coffee tea cups? mug breakfast 咖啡 茶 杯',
  heart: 'hearts? love valentine 爱 心形 红心',
  person:
    'person people man woman boy girl child kid hiker surfer travell?er astronaut knight samurai (?<!器)人(?!工|机) 男孩 女孩 少年 少女 孩子 旅行者 宇航员 武士',
  bird: 'birds? seagulls? eagles? owls? crows? cranes? 鸟 鸥 鹰 鹤 雁 燕',
  flower: 'flowers? roses? tulips? sunflowers? daisy daisies lotus (?<!烟)花(?!瓣) 玫瑰 向日葵 莲 荷',
  tree: 'trees? oak bonsai willow 树 柳',
  moon: 'moon moonlight 月亮 月光 明月',
  sun: 'sun sunshine 太阳 阳光',
};
export type Subject = keyof typeof subjects;

const tints = {
  '#d7263d': 'red crimson scarlet 红',
  '#f46036': 'orange 橙 橘',
  '#f4c430': 'yellow gold(?:en)? 黄色 金',
  '#2f9e5b': 'green emerald 绿 翠',
  '#2b6cd4': 'blue azure 蓝',
  '#7b4fc9': 'purple violet lavender 紫',
  '#f277a8': 'pink 粉',
};

/** Finds the motifs of a prompt by English and Chinese words. */
export function findMotifs(prompt: string) {
  const text = prompt.toLowerCase();
  return {
    time: named(times, text)[0],
    world: named(worlds, text)[0],
    tint: named(tints, text)[0],
    weather: named(weathers, text),
    subjects: named(subjects, text),
  };
}
export type Motifs = ReturnType<typeof findMotifs>;

/** The motifs that a text has a word of: an English one as a whole, a Chinese one anywhere. */
function named<Words extends Record<string, string>>(motifs: Words, text: string) {
  const found: Extract<keyof Words, string>[] = [];
  for (const motif in motifs) {
    const words = motifs[motif]?.split(' ') ?? [];
    if (words.some((word) => patternOf(word).test(text))) found.push(motif);
  }
  return found;
}

function patternOf(word: string): RegExp {
  return new RegExp(/\p{Script=Han}/u.test(word) ? word : `\\b(?:${word})\\b`);
}
