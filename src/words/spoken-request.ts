import { spokenLine } from '../port/command-line/spoken.ts';
import {
  commandFor,
  commandLineOf,
  type CommandRequest,
  type Locale,
  type MeantCommand,
  type RawValues,
  spokenCommandOf,
} from '../port/index.ts';
import { simplified } from './decisions.ts';

/** A question about the bot itself; the help answers it, without a model. */
interface HelpQuestion {
  /** At most 75 characters, for a button. */
  readonly title: string;
  readonly message: string;
  /** The command it is about. */
  readonly command: string;
}

/** Suggestions for an empty conversation, one for each talent. Each is sent as written and costs nothing. */
export const suggestedQuestions: Readonly<Record<Locale, readonly HelpQuestion[]>> = {
  en: [
    { title: 'Ask anything', message: 'How do I ask you something?', command: 'ask' },
    { title: 'Read a text aloud', message: 'How do you read a text aloud?', command: 'speak' },
    { title: 'Draw an image', message: 'How do you draw an image?', command: 'imagine' },
    { title: 'Make a video', message: 'How do you make a video?', command: 'video' },
  ],
  'zh-CN': [
    { title: '提问', message: '怎么向你提问？', command: 'ask' },
    { title: '朗读文字', message: '怎么让你朗读文字？', command: 'speak' },
    { title: '画图', message: '怎么让你画图？', command: 'imagine' },
    { title: '做视频', message: '怎么让你做视频？', command: 'video' },
  ],
};

/** Other ways to ask for the whole help. */
const general = [
  'help',
  'help me',
  'what can you do',
  'what can you do here',
  'what can you do for me',
  'what can you help with',
  'what can you help me with',
  'what do you do',
  'what can i ask you',
  'what can i do here',
  'what can i do with you',
  'what are you able to do',
  'how do i use you',
  'how do i use this',
  'what are your commands',
  'which commands are there',
  'list commands',
  'commands',
  'who are you and what can you do',
  '帮助',
  '帮助我',
  '你能做什么',
  '你在这里能做什么',
  '你能做些什么',
  '你能帮我做什么',
  '你会做什么',
  '你可以做什么',
  '你能干什么',
  '你能干嘛',
  '你会什么',
  '你有什么功能',
  '你有哪些功能',
  '有哪些命令',
  '怎么用你',
  '使用说明',
];

/** The command that explains the others. */
const helpName = 'help';

/** The options of `help` by what it answers: a message that is empty, or that asks what the bot can do. */
const questions: ReadonlyMap<string, RawValues> = new Map([
  ...['', ...general].map((message): [string, RawValues] => [bare(message), {}]),
  ...Object.values(suggestedQuestions)
    .flat()
    .map(({ message, command }): [string, RawValues] => [bare(message), { command }]),
]);
const longest = Math.max(...[...questions.keys()].map(({ length }) => length));

/** What people put behind the name of whom they talk to: “@troupe: usage”. */
const afterMention = /^\s*(?:[,:](?=\s)|[，：])\s*/u;
/** A line of code: that's how the bot shows a command, and Slack copies it with its format. */
const codeLine = /^\s*`([^`\n]+)`\s*$/u;

/** A question in lower case, without punctuation and surrounding spaces, in simplified characters. */
function bare(text: string): string {
  return simplified(text)
    .toLowerCase()
    .replace(/[?？!！.。,，]/g, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** The request of a message. */
export interface SpokenRequest {
  readonly command: string;
  readonly options: RawValues;
  /** How the command was typed; absent for plain text, which is a question. */
  readonly typed?: string;
  /** The question that it may as well be: then its person is asked which it is. */
  readonly instead?: MeantCommand;
}

/**
 * The event of a message's command. What only explains is on record by one of its own: people edit what they meant to say into
 * a message that said nothing.
 */
export function eventOf(message: string, command: string): Pick<CommandRequest, 'eventId' | 'question'> {
  return command === helpName ? { eventId: helpEventOf(message), question: message } : { eventId: message };
}

/** The event of the help that a message was answered with, if it was. */
export function helpEventOf(message: string): string {
  return `${message} help`;
}

interface SpokenContext {
  readonly commands: readonly Parameters<typeof spokenCommandOf>[0][];
  /** A prefix of all slash commands. */
  readonly prefix?: string;
  /** The message has files. */
  readonly hasFiles?: boolean;
}

/**
 * Chooses the command for a message to the bot: the one it begins with, `help` if it's empty or asks what the bot can do,
 * else `ask`. The rule is {@link spokenLine}'s.
 */
export function spokenRequest(text: string, { commands, prefix, hasFiles }: SpokenContext): SpokenRequest {
  const said = text.replace(afterMention, '').replace(codeLine, '$1');
  const help = said.length > 2 * longest ? undefined : questions.get(bare(said));
  if (help) return { command: helpName, options: help };
  const known = commands.map(spokenCommandOf);
  const spoken = spokenLine(said, known, { plain: commandFor.chat, ...(prefix && { prefix }) });
  if (!spoken) return { command: commandFor.chat, options: { prompt: text } };
  const { typed, line } = spoken;
  const { name } = spoken.command;
  if (line === 'help') return { command: helpName, options: { command: name } };
  const { values, namedFiles } = commandLineOf(line);
  // Text can't give a file: without one in the message, the option's own fault says so.
  const missing = hasFiles ? [] : namedFiles.map((option) => [option, option]);
  const request = { command: name, options: { ...values, ...Object.fromEntries(missing) }, typed };
  return spoken.isUnsure
    ? { ...request, instead: { command: commandFor.chat, options: { prompt: text } } }
    : request;
}
