import type { Random } from '../../random.ts';

/** `#rrggbb`. */
export type Color = `#${string}`;

/** `amount` 0 gives `from`, 1 gives `to`. */
export function mix(from: Color, to: Color, amount: number): Color {
  const target = channels(to);
  return hex(channels(from).map((value, index) => value + ((target[index] ?? 0) - value) * amount));
}

/** The color as `rgba()`. */
export function translucent(color: Color, alpha: number): string {
  return `rgba(${channels(color).join(', ')}, ${alpha})`;
}

/** Rotates the hue by `degrees`, with nearly the same lightness. */
export function turnHue(color: Color, degrees: number): Color {
  const [red = 0, green = 0, blue = 0] = channels(color);
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  const [u, v] = [0.492 * (blue - luma), 0.877 * (red - luma)];
  const [turnedU, turnedV] = [u * cos - v * sin, u * sin + v * cos];
  return hex([luma + 1.14 * turnedV, luma - 0.395 * turnedU - 0.581 * turnedV, luma + 2.033 * turnedU]);
}

function channels(color: Color): number[] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function hex(values: readonly number[]): Color {
  return `#${Buffer.from(Uint8ClampedArray.from(values)).toString('hex')}`;
}

/** The colors of an image. */
export interface Palette {
  /** From zenith to horizon. */
  readonly sky: readonly [Color, Color, Color];
  /** The sun or moon, and everything it lights. */
  readonly light: Color;
  /** The foreground; distant things are mixed with the horizon. */
  readonly ground: Color;
  readonly accent: Color;
}

const palettes: Record<TimeOfDay, readonly [Palette, ...Palette[]]> = {
  dawn: [
    { sky: ['#5c86c9', '#eab4c4', '#ffe7cc'], light: '#fff6e2', ground: '#263a5e', accent: '#f28482' },
    { sky: ['#6db3c8', '#c7e2d4', '#fff1d4'], light: '#fffdf2', ground: '#1f4a58', accent: '#f6a35c' },
    { sky: ['#8f7cc3', '#f3a6a6', '#ffe0b5'], light: '#fff3d9', ground: '#3a2a57', accent: '#ff8c61' },
  ],
  day: [
    { sky: ['#2a7fd0', '#79c0ee', '#e2f5f7'], light: '#fffbe3', ground: '#174a45', accent: '#ff7b54' },
    { sky: ['#1b9ab3', '#86d9cf', '#f7f7da'], light: '#fffdf0', ground: '#0f4551', accent: '#ffb703' },
    { sky: ['#efb93f', '#f8dba2', '#fff6e2'], light: '#f4743b', ground: '#47352b', accent: '#3d8b7d' },
    { sky: ['#4f9fd8', '#a8d8ea', '#fdf0e6'], light: '#ffffff', ground: '#2c4a3b', accent: '#ee6c8a' },
  ],
  dusk: [
    { sky: ['#2b1b4e', '#9a3f7d', '#ff9f6b'], light: '#ffe5ad', ground: '#1a0f30', accent: '#ff6f91' },
    { sky: ['#1e2b60', '#c65f7f', '#ffc67f'], light: '#fff2cc', ground: '#141833', accent: '#ffd166' },
    { sky: ['#47214b', '#d6505c', '#f8bd73'], light: '#fff0c2', ground: '#26112b', accent: '#f4a259' },
    { sky: ['#0f3b5c', '#4f8f9e', '#ffcf8f'], light: '#fff3d6', ground: '#0b2435', accent: '#ff8a5c' },
  ],
  night: [
    { sky: ['#070b24', '#16264f', '#41608f'], light: '#f6f2dc', ground: '#040714', accent: '#ffd97d' },
    { sky: ['#10032a', '#2c1257', '#733077'], light: '#fbe8ff', ground: '#0a0218', accent: '#ff6fae' },
    { sky: ['#04151f', '#0b3f4f', '#2f8180'], light: '#e9fff4', ground: '#020d14', accent: '#8ef6c8' },
  ],
};

/** A palette for the time of day, with the hue shifted, towards a color in the prompt if it names one. */
export function choosePalette(time: TimeOfDay, random: Random, tint?: Color): Palette {
  const chosen = random.pick(palettes[time]);
  const degrees = random.between(-14, 14);
  const shade = (color: Color, amount: number) => {
    const turned = turnHue(color, degrees);
    return tint ? mix(turned, tint, amount) : turned;
  };
  const [zenith, middle, horizon] = chosen.sky;
  return {
    sky: [shade(zenith, 0.12), shade(middle, 0.18), shade(horizon, 0.06)],
    light: chosen.light,
    ground: shade(chosen.ground, 0.06),
    accent: tint ?? turnHue(chosen.accent, degrees),
  };
}

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
  space: 'space planets? galaxy galaxies mars universe cosmos cosmic orbit 太空 宇宙 星球 行星 银河 火星',
  snow: 'snow snowy winter ice icy arctic christmas ski(?:ing)? frozen 雪 冬 冰 北极 圣诞 滑雪',
  desert: 'deserts? dunes? sahara pyramids? 沙漠 金字塔 戈壁',
  city: 'city cities town streets? skyline skyscrapers? buildings? tokyo paris london york shanghai roofs? rooftops? cyberpunk neon 城 街 楼 都市 上海 北京 东京 巴黎 屋顶 霓虹 赛博',
  sea: 'seas? ocean beach waves? lakes? river islands? harbou?r coast bay 海 洋 湖 河 浪 沙滩 岛 港 江',
  forest: 'forests? woods? jungle pines? bamboo 森林 树林 丛林 竹 林',
  mountains:
    'mountains? alps peaks? cliffs? summit himalayas? everest canyon valley volcano fuji 山 峰 岭 峡谷 悬崖 火山 珠穆朗玛',
  meadow:
    'meadows? fields? flowers? gardens? grass hills? roses? tulips? sunflowers? farm spring blossoms? parks? (?<!烟)花 草 田 园 春 农场 玫瑰 向日葵 樱',
};
/** Who and what stands for a setting where a prompt names none. */
const inhabitants = {
  space: 'astronauts? spaceships? aliens? 外星 宇航',
  snow: 'penguins? 企鹅',
  desert: 'camels? cactus cacti 骆驼 仙人掌',
  sea: 'surf(?:ing|er)? boats? ships? sail(?:ing|boat)? whales? lighthouse 船 帆 鲸 灯塔',
  forest: 'foxe?s? bears? pandas? deer mushrooms? 狐 熊 鹿 蘑菇',
  meadow: 'rabbits? bunny bunnies hares? 兔',
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
  cat: 'cats? kitten kitty kittens (?<!熊)猫',
  dog: 'dogs? puppy puppies corgi husky 狗 犬 柴',
  fox: 'foxe?s? 狐',
  bear: 'bears? teddy 熊(?!猫)',
  panda: 'pandas? 熊猫',
  penguin: 'penguins? 企鹅',
  rabbit: 'rabbits? bunny bunnies hares? 兔',
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
    world: named(worlds, text)[0] ?? named(inhabitants, text)[0],
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
