import type { Locale, RawValues } from '../port/index.ts';

/** A question about the bot itself, which its help answers and no model. */
interface HelpQuestion {
  /** At most 75 characters, for a button. */
  readonly title: string;
  readonly message: string;
  /** The command it is about; all of them where there is none. */
  readonly command?: string;
}

/** What is suggested to people who have not said anything yet: each is sent as it stands, and costs nothing. */
export const suggestedQuestions: Readonly<Record<Locale, readonly HelpQuestion[]>> = {
  en: [
    { title: 'What can you do?', message: 'What can you do here?' },
    { title: 'Read a text aloud', message: 'How do you read a text aloud?', command: 'speak' },
    { title: 'Draw an image', message: 'How do you draw an image?', command: 'imagine' },
    { title: 'Make a video', message: 'How do you make a video?', command: 'video' },
  ],
  'zh-CN': [
    { title: '你能做什么？', message: '你在这里能做什么？' },
    { title: '朗读文字', message: '怎么让你朗读文字？', command: 'speak' },
    { title: '画图', message: '怎么让你画图？', command: 'imagine' },
    { title: '做视频', message: '怎么让你做视频？', command: 'video' },
  ],
};

/** Other ways to ask for all of it. */
const general = [
  'help',
  'what can you do',
  'what do you do',
  'what can i ask you',
  'who are you and what can you do',
  '帮助',
  '你能做什么',
  '你会做什么',
  '你可以做什么',
  '你能干什么',
  '你会什么',
];

const questions: ReadonlyMap<string, HelpQuestion['command']> = new Map([
  ...general.map((message) => [bare(message), undefined] as const),
  ...Object.values(suggestedQuestions)
    .flat()
    .map(({ message, command }) => [bare(message), command] as const),
]);
const longest = Math.max(...[...questions.keys()].map(({ length }) => length));

/** What words said to the bot ask for: help where there are none, or where they ask what it can do; else an answer. */
export function spokenRequest(text: string): {
  readonly command: 'ask' | 'help';
  readonly options: RawValues;
} {
  const said = text.length > 2 * longest ? undefined : bare(text);
  if (said === '') return { command: 'help', options: {} };
  if (said === undefined || !questions.has(said)) return { command: 'ask', options: { prompt: text } };
  const command = questions.get(said);
  return { command: 'help', options: command === undefined ? {} : { command } };
}

/** A question without capitals, spaces at its ends and marks. */
function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[?？!！.。,，]/g, '')
    .replace(/\s+/gu, ' ')
    .trim();
}
