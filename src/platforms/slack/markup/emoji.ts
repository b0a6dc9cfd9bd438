import type { CommandAbout } from '../../../port/index.ts';

/** A message whose texts Slack sends with its emoji as `:codes:`, also those that were typed as characters. */
interface WithTexts {
  readonly text?: string;
  readonly blocks?: readonly object[];
  readonly attachments?: readonly object[];
}

/** An emoji, maybe with a skin tone: what Slack writes for it. Names have at most 100 characters. */
const code = /:([^\s:]{1,100}(?:::skin-tone-[2-6])?):/g;
/** A code between words, as against colons within one. */
const standalone =
  /(?<![\p{L}\p{N}]):(?:[a-z][\w'+-]{1,99}|[+-]1|\d{3,4})(?:::skin-tone-[2-6])?:(?![\p{L}\p{N}])/gu;

/**
 * A message with the characters of its emoji in its texts: the message’s blocks name those of each one that Unicode
 * has. Codes in other texts stay, as do a workspace’s own emoji.
 */
export function withEmoji<M extends WithTexts>(message: M): M {
  const characters = new Map<string, string>();
  collect([message.blocks, message.attachments], characters);
  if (characters.size === 0) return message;
  const read = (text: string) => text.replace(code, (whole, name: string) => characters.get(name) ?? whole);
  const texts = ['text', 'pretext', 'title', 'fallback'] as const;
  const readAll = <T extends object>(one: T): T => {
    const written = one as T & Partial<Record<(typeof texts)[number], unknown>>;
    const changed = texts.flatMap((key) => {
      const text = written[key];
      return typeof text === 'string' ? [[key, read(text)]] : [];
    });
    return { ...one, ...Object.fromEntries(changed) };
  };
  const { attachments } = message;
  return { ...readAll(message), ...(attachments && { attachments: attachments.map(readAll) }) };
}

/** The value of a command’s option: nobody wants to hear the codes of emoji, if it’s to be read aloud. */
export function withoutCodesForVoice(
  { textOption, postsFiles }: Pick<CommandAbout, 'textOption' | 'postsFiles'>,
  option: string,
  text: string,
): string {
  if (postsFiles !== 'voice' || option !== textOption) return text;
  return text.replace(standalone, ' ').replace(/ {2,}/g, ' ').trim();
}

/** How deep Slack nests blocks in attachments, and more. */
const deepest = 12;

function collect(node: unknown, characters: Map<string, string>, depth = 0): void {
  if (typeof node !== 'object' || node === null || depth > deepest) return;
  if (Array.isArray(node)) {
    for (const one of node) collect(one, characters, depth + 1);
    return;
  }
  const { type, name, unicode, skin_tone: tone } = node as Readonly<Record<string, unknown>>;
  if (type !== 'emoji') {
    for (const one of Object.values(node)) collect(one, characters, depth + 1);
    return;
  }
  const written = typeof unicode === 'string' ? charactersOf(unicode) : undefined;
  if (typeof name !== 'string' || written === undefined) return;
  const isToned = typeof tone === 'number' && !name.includes('::');
  characters.set(isToned ? `${name}::skin-tone-${tone}` : name, written);
}

/** The characters of code points such as `1f44b-1f3fc`; undefined where they are none. */
export function charactersOf(unicode: string): string | undefined {
  if (!/^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}$/i.test(unicode)) return undefined;
  const points = unicode.split('-').map((point) => Number.parseInt(point, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : undefined;
}
