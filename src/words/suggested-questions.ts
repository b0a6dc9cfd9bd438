import type { Locale, RawValues } from '../port/index.ts';

/** A question about the bot itself; the help answers it, without a model. */
interface HelpQuestion {
  /** At most 75 characters, for a button. */
  readonly title: string;
  readonly message: string;
  /** The command it is about; undefined for all of them. */
  readonly command?: string;
}

/** Suggestions for an empty conversation. Each is sent as written and costs nothing. */
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

/** Other ways to ask for the whole help. */
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

/**
 * Chooses the command for plain text sent to the bot: `help` if it is empty or asks what the bot can do, else
 * `ask`.
 */
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

/** A question in lower case, without punctuation and surrounding spaces. */
function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/[?？!！.。,，]/g, '')
    .replace(/\s+/gu, ' ')
    .trim();
}
