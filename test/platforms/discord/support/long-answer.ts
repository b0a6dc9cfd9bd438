const parts: readonly ((index: number) => string)[] = [
  (n) =>
    `## Heading ${n}\n\nProse${n} that goes on, with **bold${n} words** and \`code${n}\`, and an emoji 👩‍👩‍👧‍👦 here. `,
  (n) =>
    `这里是第${n}段中文，写得比较长，没有空格，因此只能在标点处断开。潮汐来自月球的引力，太阳也有份。\n\n`,
  (n) => `\`\`\`ts\nfor (let index = 0; index < ${n}; index++) {\n  console.log(line${n});\n}\n\`\`\`\n\n`,
  (n) => `| name${n} | value |\n| --- | --- |\n| one${n} | 1 |\n| two${n} | 2 |\n| three${n} | 3 |\n\n`,
  (n) => `- a list${n}\n- of several${n}\n- points${n}\n\n`,
];

/** An answer of exactly so many characters with prose, Chinese, emoji, code and tables. */
export function longAnswer(length: number): string {
  let text = '';
  for (let index = 0; text.length < length; index++) text += parts[index % parts.length]?.(index) ?? '';
  return `${text
    .slice(0, length - 8)
    .replace(/[\ud800-\udbff]$/u, 'x')
    .padEnd(length - 8, '.')}\n\nTheEnd`;
}
