/** How the formatting inside of a line is written, and what else is in it. */
export interface InlineStyle {
  /** Marks around bold, italic and struck words. */
  readonly bold: string;
  readonly italic: string;
  readonly strike: string;
  /** Whether `_` stands for `italic` already. */
  readonly keepsUnderscores: boolean;
  code(code: string): string;
  /** A link, whose label may be empty; undefined where it stays as it’s written. @param keep keeps marks in the URL as they are */
  link(url: string, label: string, keep: (url: string) => string): string | undefined;
  /** A mark that stands for itself. */
  literal(mark: string): string;
  /** What separates a mark from the character beside it. */
  edge(beside: string | undefined): string;
}

/** Replaces a bold mark while italics are looked for. */
const bold = '\u0001';
/** Replace these marks where they're escaped, while emphasis is looked for; first what escapes them. */
const escapedMarks: readonly (readonly [mark: string, replaced: string])[] = [
  ['\\', '\u0005'],
  ['*', '\u0002'],
  ['_', '\u0003'],
  ['~', '\u0004'],
];

/** A run of backticks, and everything up to the next run of as many (CommonMark, section 6.1). */
const codeSpan = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g;
/**
 * A label may have images, and a URL pairs of brackets; neither has another square bracket in it, so it takes linear
 * time.
 */
const linkOrImage =
  /!?\[((?:!\[[^[\]]*\]\([^()[\]\s]*\)|[^[\]])*)\]\((?:&lt;)?((?:[^\s()[]|\([^\s()[]*\))+?)(?:&gt;)?(?:\s+"[^"[]*")?\)/g;
const imageInLabel = /!\[([^[\]]*)\]\([^()[\]\s]*\)/g;
/** Where a URL goes on with letters that one may have in full, or that may be the sentence’s, isn’t known: it’s left alone. */
const bareUrl = /(?<![a-z0-9])https?:\/\/[a-z0-9](?:[\w\-.~:/?#@!$'()*+,=%]|&amp;)*/gi;
const autolink = /&lt;(https?:\/\/(?:[^\s&\uE000]|&amp;)+)&gt;/gi;
const closesSentence = /[.,:!?'*_~@(]/;

/** A line of Markdown, escaped for Slack, in a style. It takes time by its length and no more. */
export function inlineMarkdown(text: string, style: InlineStyle): string {
  const kept = new Kept();
  const withoutCode = text.replace(codeSpan, (_, _run, code: string) => kept.away(style.code(code), code));
  const keep = (url: string) => kept.away(url);
  const linked = withoutCode
    .replace(linkOrImage, (whole, label: string, url: string) => {
      const name = kept.plain(label.replace(imageInLabel, '$1')).trim().replace(bareUrl, keep);
      return style.link(url.replace(/\\([!-/:-@[-`{-~])/g, '$1'), name, keep) ?? whole;
    })
    .replace(autolink, (whole, url: string) => style.link(url, '', keep) ?? whole)
    .replace(bareUrl, (found, at: number, all: string) => {
      const next = all[at + found.length] ?? '';
      if (/[\p{L}\p{N}]/u.test(next)) return keep(found);
      const url = withoutEnd(found);
      return (style.link(url, '', keep) ?? keep(url)) + found.slice(url.length);
    });
  return kept.back(emphasis(linked, style));
}

/** A URL without the marks behind it that belong to the sentence. */
function withoutEnd(found: string): string {
  let unopened = 0;
  for (const character of found) unopened += character === ')' ? 1 : character === '(' ? -1 : 0;
  let end = found.length;
  for (; end > 0; end--) {
    const last = found.charAt(end - 1);
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!closesSentence.test(last)) break;
  }
  return found.slice(0, end);
}

function emphasis(text: string, style: InlineStyle): string {
  const unescaped = escapedMarks.reduce(
    (shown, [mark, replaced]) => shown.replaceAll(`\\${mark}`, replaced),
    text,
  );
  const strong = emphasized(
    emphasized(unescaped, ['***'], `${bold}${style.italic}`, style),
    ['**', '__'],
    bold,
    style,
  );
  // Between two of these there is none, so each is looked at once.
  const italic = strong.replace(/\*(?=[^\s*])([^*]+?)(?<=\S)\*/g, (whole, inner, at) =>
    framed(strong, at, at + whole.length, `${style.italic}${inner}${style.italic}`, style),
  );
  const slanted = style.keepsUnderscores ? italic : emphasized(italic, ['_'], style.italic, style);
  return escapedMarks.reduce(
    (shown, [mark, replaced]) => shown.replaceAll(replaced, style.literal(mark)),
    emphasized(slanted, ['~~'], style.strike, style)
      .replaceAll(bold, style.bold)
      .replace(/\\([\\`{}[\]()#+.!|-])/g, (_, mark: string) => style.literal(mark)),
  );
}

/**
 * Replaces pairs of marks by others, the second time in reverse. Where one finds no end, none after it does, so each character is looked at a fixed number of
 * times: a pattern would begin again at every mark.
 */
function emphasized(text: string, marks: readonly string[], as: string, style: InlineStyle): string {
  const unpaired = new Set<string>();
  let shown = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = marks.find((one) => !unpaired.has(one) && opensAt(text, at, one));
    if (mark === undefined) continue;
    const end = closingAt(text, mark, at + mark.length + 1);
    if (end === -1) unpaired.add(mark);
    else {
      const next = end + mark.length;
      const inner = as + text.slice(at + mark.length, end) + as.split('').reverse().join('');
      shown += text.slice(from, at) + framed(text, at, next, inner, style);
      from = next;
      at = next - 1;
    }
  }
  return shown + text.slice(from);
}

/** Whether a mark stands before something; underscores in a word are part of it (CommonMark, section 6.2). */
function opensAt(text: string, at: number, mark: string): boolean {
  if (!text.startsWith(mark, at) || !/\S/.test(text[at + mark.length] ?? '')) return false;
  return !mark.startsWith('_') || !isOfWord(text[at - 1]);
}

/** Where the first mark behind something is, from a position on; -1 if there's none. */
function closingAt(text: string, mark: string, from: number): number {
  const closes = (at: number) =>
    !/\s/.test(text[at - 1] ?? '') && (!mark.startsWith('_') || !isOfWord(text[at + mark.length]));
  let at = text.indexOf(mark, from);
  while (at !== -1 && !closes(at)) at = text.indexOf(mark, at + 1);
  return at;
}

/** Chinese has no spaces that would tell its words apart. */
function isOfWord(character = ''): boolean {
  return /\w/.test(character);
}

/** What stands for the part of a text from `at` to `end`. */
function framed(text: string, at: number, end: number, shown: string, { edge }: InlineStyle): string {
  return edge(text[at - 1]) + shown + edge(text[end]);
}

/** Keeps code and URLs away from the search for emphasis. */
class Kept {
  readonly #parts: { readonly shown: string; readonly plain: string }[] = [];

  /** What stands for a part meanwhile. @param plain the part as it’s shown in the label of a link */
  away(shown: string, plain = shown): string {
    return `\uE000${this.#parts.push({ shown, plain }) - 1}\uE000`;
  }

  back(text: string): string {
    return this.#replaced(text, 'shown');
  }

  plain(text: string): string {
    return this.#replaced(text, 'plain');
  }

  #replaced(text: string, as: 'shown' | 'plain'): string {
    return text.replace(/\uE000(\d{1,9})\uE000/g, (_, part: string) => this.#parts[Number(part)]?.[as] ?? '');
  }
}
