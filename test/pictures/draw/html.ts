/** A piece of a page, ready to be put into another. */
export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

/** HTML from a template; every text in it is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(sourceOf)));
}

function sourceOf(part: Part): string {
  if (part instanceof Html) return part.source;
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(sourceOf).join('');
  return escaped(String(part));
}

/** A text as HTML shows it. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The words that a piece of a page shows, without its markup; files and images show their names. */
export function wordsOf({ source }: Html): string {
  return source
    .replaceAll(/<(?:img|video)[^>]*\balt="([^"]*)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
