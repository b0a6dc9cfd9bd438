import MarkdownIt from 'markdown-it';
import { escaped, Html } from './html.ts';

/** How references in a text are shown; a reference it knows nothing of is shown as it's written. */
export type NameOf = (reference: string) => string | undefined;

const discord = markdown([/<(?:@[!&]?\d+|#\d+|t:\d+(?::\w)?|\/[^:>]+:\d+)>/y], ['table']);
const slack = markdown([/<(?:[@#!][^>]*)>/y], []);

/** Discord's Markdown: no tables, small print, spoilers, references. */
export function discordMarkdown(text: string, nameOf: NameOf): Html {
  const source = discord.render(withoutLazyLists(withoutLazyQuotes(text)), { nameOf });
  return new Html(
    source
      .replaceAll(/(<p>|<br>\n?)-# ([\s\S]*?)(?=<br>|<\/p>)/g, '$1<small>$2</small>')
      .replaceAll(/\|\|(.+?)\|\|/g, '<span class="spoiler">$1</span>'),
  );
}

/** Standard Markdown, as Slack's markdown blocks and streams take it. */
export function slackMarkdown(text: string, nameOf: NameOf): Html {
  return new Html(slack.render(withoutLazyQuotes(text), { nameOf }));
}

/** Markdown with references of a platform's own; `off` are rules that the platform doesn't have. */
function markdown(references: readonly RegExp[], off: string[]) {
  const made = new MarkdownIt({ html: false, breaks: true, linkify: true }).disable(off);
  made.inline.ruler.before('autolink', 'reference', (state, silent) => {
    for (const pattern of references) {
      pattern.lastIndex = state.pos;
      const [found] = pattern.exec(state.src) ?? [];
      if (found === undefined) continue;
      if (!silent) {
        const { nameOf } = state.env as { nameOf: NameOf };
        state.push('reference', '', 0).content = nameOf(found) ?? found;
      }
      state.pos += found.length;
      return true;
    }
    return false;
  });
  made.renderer.rules.reference = (tokens, index) =>
    `<span class="reference">${escaped(tokens[index]?.content ?? '')}</span>`;
  return made;
}

/** In chats a quote ends with its line; in CommonMark the next line would belong to it. */
function withoutLazyQuotes(text: string): string {
  return text.replaceAll(/^(>.*)\n(?!>|\n)/gm, '$1\n\n');
}

/** On Discord a list ends with its last item; in CommonMark the next line would belong to that. */
function withoutLazyLists(text: string): string {
  return text.replaceAll(/^( *(?:[-*]|\d+\.) .*)\n(?! *(?:[-*]|\d+\.) |\n| {2})/gm, '$1\n\n');
}

/** Slack's own markup of section and context blocks. */
export function mrkdwn(text: string, nameOf: NameOf): Html {
  const blocks = text.split(/```\n?([\s\S]*?)```/);
  const source = blocks.map((block, index) =>
    index % 2 === 1 ? `<pre><code>${block}</code></pre>` : mrkdwnLines(block, nameOf),
  );
  return new Html(source.join(''));
}

function mrkdwnLines(text: string, nameOf: NameOf): string {
  return text
    .split('\n')
    .map((line) =>
      line.startsWith('&gt;') || line.startsWith('>')
        ? `<blockquote>${mrkdwnLine(line.replace(/^(?:&gt;|>) ?/, ''), nameOf)}</blockquote>`
        : `${mrkdwnLine(line, nameOf)}<br>`,
    )
    .join('')
    .replace(/<br>$/, '');
}

function mrkdwnLine(line: string, nameOf: NameOf): string {
  return line
    .split(/(`[^`]+`|<[^>]+>)/)
    .map((piece) => {
      if (piece.startsWith('`')) return `<code>${piece.slice(1, -1)}</code>`;
      if (piece.startsWith('<')) return mrkdwnReference(piece, nameOf);
      return piece
        .replaceAll('>', '&gt;')
        .replaceAll(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '<strong>$1</strong>')
        .replaceAll(/(?<![\w_])_([^_\s](?:[^_]*[^_\s])?)_(?![\w_])/g, '<em>$1</em>')
        .replaceAll(/(?<![\w~])~([^~\s](?:[^~]*[^~\s])?)~(?![\w~])/g, '<s>$1</s>');
    })
    .join('');
}

function mrkdwnReference(reference: string, nameOf: NameOf): string {
  if (/^<[@#!]/.test(reference))
    return `<span class="reference">${escaped(nameOf(reference) ?? reference)}</span>`;
  const [address = '', label] = reference.slice(1, -1).split('|');
  return `<a>${label ?? address}</a>`;
}
