import type { Decision, Locale } from '../port/index.ts';
import { orders } from './either-words.ts';

/** The longest text that's looked at, in characters: what's longer says more than a button. */
const longest = 40;

/** What people write instead of pressing a button of a question, in all languages: some write another than they read. */
const said: Readonly<Record<Exclude<Decision['kind'], 'order'>, readonly string[]>> = {
  yes: [
    ...[
      'yes',
      'yes please',
      'yes go ahead',
      'yes do it',
      'yep',
      'yeah',
      'y',
      'sure',
      'ok',
      'okay',
      'go ahead',
      'do it',
    ],
    ...['是', '是的', '好', '好的', '好啊', '可以', '行', '确定', '继续', '是 继续'],
  ],
  no: [
    ...['no', 'no thanks', 'no thank you', 'nope', 'n', 'cancel', 'never mind', 'nevermind', 'don t'],
    ...['不', '不用', '不用了', '不要', '不了', '否', '取消', '算了'],
  ],
  instead: [
    'just answer',
    'just answer it',
    'answer',
    'answer it',
    'just answer please',
    '直接回答',
    '回答',
    '直接回答吧',
  ],
};

/** The same for the command of a button, besides what that says. */
const ordered: Readonly<Record<keyof (typeof orders)[Locale], readonly string[]>> = {
  imagine: ['draw', 'draw this', 'draw it please', 'yes draw it', '画', '画吧', '画出来吧'],
  video: ['make a video', 'make it a video', 'yes make the video', '做视频', '做成视频吧'],
  speak: ['read it', 'read it out', 'read aloud', '读', '读吧', '念出来'],
};

const decisions = new Map<string, Decision>([
  ...(['yes', 'no', 'instead'] as const).flatMap((kind) =>
    said[kind].map((text) => [text, { kind }] as const),
  ),
  ...(Object.keys(ordered) as (keyof typeof ordered)[]).flatMap((command) =>
    [...Object.values(orders).map((labels) => plain(labels[command])), ...ordered[command]].map(
      (text) => [text, { kind: 'order', command }] as const,
    ),
  ),
]);

/** What isn't a letter, a digit, a blank or a mark that ends or joins words. */
const sayingMore = /[^\p{L}\p{N}\s.,!'’。，！、…]/u;

/**
 * What a text decides where it's the answer to a question of the bot's; undefined for everything but plain words: “sure?”
 * asks, and a sign or a picture beside a word may say its opposite.
 */
export function decisionIn(text: string): Decision | undefined {
  return text.length > longest || sayingMore.test(text) ? undefined : decisions.get(plain(text));
}

/** The words alone, in small letters. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
