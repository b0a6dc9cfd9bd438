import type { Color } from './color.ts';

export type TimeOfDay = 'dawn' | 'day' | 'dusk' | 'night';

/** The setting of an image. */
export type World =
  | 'sea'
  | 'mountains'
  | 'city'
  | 'forest'
  | 'meadow'
  | 'desert'
  | 'snow'
  | 'space'
  | 'underwater'
  | 'abstract';

/** What falls or floats through the air. */
export type Weather = 'rain' | 'snowfall' | 'petals' | 'fireflies' | 'aurora' | 'rainbow' | 'clouds';

/** The subject of an image. */
export type Subject =
  | 'cat'
  | 'dog'
  | 'bird'
  | 'fish'
  | 'whale'
  | 'boat'
  | 'house'
  | 'lighthouse'
  | 'balloon'
  | 'rocket'
  | 'robot'
  | 'heart'
  | 'flower'
  | 'tree'
  | 'cup'
  | 'person'
  | 'car'
  | 'moon'
  | 'sun';

/** The motifs found in a prompt. */
export interface Motifs {
  readonly time?: TimeOfDay;
  readonly world?: World;
  readonly weather: readonly Weather[];
  readonly subjects: readonly Subject[];
  readonly tint?: Color;
}

type Words<Motif> = readonly (readonly [Motif, RegExp])[];

const times: Words<TimeOfDay> = [
  [
    'night',
    words(
      'night|midnight|moon(light|lit)?|stars?|starry|neon|aurora|dark',
      '夜|晚上|月亮|月光|明月|星空|星光|霓虹|极光',
    ),
  ],
  ['dusk', words('sunset|dusk|twilight|evening|golden hour', '日落|黄昏|夕阳|傍晚|晚霞')],
  ['dawn', words('sunrise|dawn|morning|mist|misty|fog|foggy', '日出|清晨|早晨|黎明|晨|雾')],
  ['day', words('noon|day|daylight|sunny|summer|spring', '白天|中午|晴|阳光|夏|春')],
];

const worlds: Words<World> = [
  [
    'underwater',
    words(
      'underwater|coral|reefs?|fish(es)?|dolphins?|sharks?|octopus|jellyfish|diving|diver',
      '海底|水下|珊瑚|鱼|海豚|鲨|章鱼|水母|潜水',
    ),
  ],
  [
    'space',
    words(
      'space|planets?|galaxy|galaxies|astronauts?|mars|universe|cosmos|cosmic|spaceships?|aliens?|orbit',
      '太空|宇宙|星球|行星|银河|火星|外星|宇航',
    ),
  ],
  [
    'snow',
    words(
      'snow|snowy|winter|ice|icy|arctic|penguins?|christmas|ski(ing)?|frozen',
      '雪|冬|冰|北极|企鹅|圣诞|滑雪',
    ),
  ],
  ['desert', words('deserts?|dunes?|sahara|camels?|cactus|cacti|pyramids?', '沙漠|骆驼|仙人掌|金字塔|戈壁')],
  [
    'city',
    words(
      'city|cities|town|streets?|skyline|skyscrapers?|buildings?|tokyo|paris|london|york|shanghai|roofs?|rooftops?|cyberpunk|neon',
      '城|街|楼|都市|上海|北京|东京|巴黎|屋顶|霓虹|赛博',
    ),
  ],
  [
    'sea',
    words(
      'sea|seas|ocean|beach|waves?|surf(ing|er)?|lakes?|river|islands?|harbou?r|boats?|ships?|sail(ing|boat)?|coast|whales?|lighthouse|bay',
      '海|洋|湖|河|浪|沙滩|岛|船|帆|港|鲸|灯塔|江',
    ),
  ],
  [
    'forest',
    words(
      'forests?|woods?|jungle|pines?|bamboo|foxe?s?|bears?|deer|mushrooms?',
      '森林|树林|丛林|竹|狐|熊|鹿|蘑菇|林',
    ),
  ],
  [
    'mountains',
    words(
      'mountains?|alps|peaks?|cliffs?|summit|himalayas?|everest|canyon|valley|volcano|fuji',
      '山|峰|岭|峡谷|悬崖|火山|珠穆朗玛',
    ),
  ],
  [
    'meadow',
    words(
      'meadows?|fields?|flowers?|gardens?|grass|hills?|roses?|tulips?|sunflowers?|farm|spring|blossoms?|parks?',
      '(?<!烟)花|草|田|园|春|农场|玫瑰|向日葵|樱',
    ),
  ],
];

const weathers: Words<Weather> = [
  ['rain', words('rain|rainy|raining|storm|umbrella', '雨|暴风|伞')],
  ['snowfall', words('snow|snowy|snowing|blizzard|christmas|winter', '雪|冬|圣诞')],
  ['petals', words('petals?|blossoms?|sakura|cherry|spring|wedding', '花瓣|樱|春|婚')],
  ['fireflies', words('fireflies|firefly|magic|magical|fairy|fairies|dream(y|s)?', '萤|魔法|精灵|梦')],
  ['aurora', words('aurora|northern lights', '极光')],
  ['rainbow', words('rainbows?', '彩虹|虹')],
  ['clouds', words('clouds?|cloudy|sky', '云|天空')],
];

const subjects: Words<Subject> = [
  ['cat', words('cats?|kitten|kitty|kittens', '猫')],
  ['dog', words('dogs?|puppy|puppies|corgi|husky', '狗|犬|柴')],
  ['robot', words('robots?|android|mech|bots?', '机器人|机甲')],
  ['rocket', words('rockets?|spaceships?|launch', '火箭|飞船')],
  ['whale', words('whales?|orca', '鲸')],
  ['fish', words('fish(es)?|goldfish|shark|dolphins?', '鱼|海豚|鲨')],
  ['boat', words('boats?|ships?|sail(ing|boat)?|yacht', '船|帆|舟')],
  ['lighthouse', words('lighthouses?', '灯塔')],
  ['balloon', words('balloons?|airship', '气球')],
  ['house', words('houses?|home|cabin|cottage|hut|village|castle', '房|家|屋|村|城堡')],
  ['car', words('cars?|taxi|bus|truck|drive|driving', '车')],
  ['cup', words('coffee|tea|cups?|mug|breakfast', '咖啡|茶|杯')],
  ['heart', words('hearts?|love|valentine', '爱|心形|红心')],
  [
    'person',
    words(
      'person|people|man|woman|boy|girl|child|kid|hiker|surfer|traveller|traveler|astronaut|knight|samurai',
      '(?<!器)人(?!工|机)|男孩|女孩|少年|少女|孩子|旅行者|宇航员|武士',
    ),
  ],
  ['bird', words('birds?|seagulls?|eagles?|owls?|crows?|cranes?', '鸟|鸥|鹰|鹤|雁|燕')],
  [
    'flower',
    words('flowers?|roses?|tulips?|sunflowers?|daisy|daisies|lotus', '(?<!烟)花(?!瓣)|玫瑰|向日葵|莲|荷'),
  ],
  ['tree', words('trees?|oak|bonsai|willow', '树|柳')],
  ['moon', words('moon|moonlight', '月亮|月光|明月')],
  ['sun', words('sun|sunshine', '太阳|阳光')],
];

const tints: Words<Color> = [
  ['#d7263d', words('red|crimson|scarlet', '红')],
  ['#f46036', words('orange', '橙|橘')],
  ['#f4c430', words('yellow|gold(en)?', '黄色|金')],
  ['#2f9e5b', words('green|emerald', '绿|翠')],
  ['#2b6cd4', words('blue|azure', '蓝')],
  ['#7b4fc9', words('purple|violet|lavender', '紫')],
  ['#f277a8', words('pink', '粉')],
];

/** Finds motifs in a prompt by English and Chinese words. */
export function findMotifs(prompt: string): Motifs {
  const text = prompt.toLowerCase();
  const found = <Motif>(list: Words<Motif>) =>
    list.filter(([, pattern]) => pattern.test(text)).map(([motif]) => motif);
  const [time] = found(times);
  const [world] = found(worlds);
  const [tint] = found(tints);
  return {
    ...(time && { time }),
    ...(world && { world }),
    ...(tint && { tint }),
    weather: found(weathers),
    subjects: found(subjects),
  };
}

/** Matches whole English words, and Chinese words anywhere. */
function words(english: string, chinese: string): RegExp {
  return new RegExp(`\\b(?:${english})\\b|${chinese}`);
}
