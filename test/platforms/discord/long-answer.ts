const parts = [
  '## A heading\n\nSome prose that goes on for a while, with **bold words** and `code`, and an emoji 👩‍👩‍👧‍👦 here. ',
  '这里是一段中文，写得比较长，没有空格，因此只能在标点处断开。潮汐来自月球的引力，太阳也有份。\n\n',
  '```ts\nfor (let index = 0; index < 10; index++) {\n  console.log(index);\n}\n```\n\n',
  '| name | value |\n| --- | --- |\n| one | 1 |\n| two | 2 |\n| three | 3 |\n\n',
  '- a list\n- of several\n- points\n\n',
];

/** An answer of exactly so many characters with prose, Chinese, emoji, code and tables. */
export function longAnswer(length: number): string {
  let text = '';
  for (let index = 0; text.length < length; index++) text += parts[index % parts.length];
  return `${text
    .slice(0, length - 8)
    .replace(/[\ud800-\udbff]$/u, 'x')
    .padEnd(length - 8, '.')}\n\nTheEnd`;
}
