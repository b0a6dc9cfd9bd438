import { type Fields, isFields, objectsAt } from '../../fakes/discord/http/fields.ts';
import { drawUnknown } from './chrome.ts';
import { type Html, html } from './html.ts';
import { discordMarkdown, type NameOf } from './markdown.ts';

/** Parts of an embed that are drawn; any other is named. */
const drawn = ['type', 'color', 'author', 'title', 'url', 'description', 'fields', 'footer', 'timestamp'];

/** An embed of a Discord message. */
export function drawEmbed(embed: Fields, nameOf: NameOf): Html {
  const color = Number(embed.color ?? 0xc4c9d1)
    .toString(16)
    .padStart(6, '0');
  const text = (value: unknown) => discordMarkdown(String(value), nameOf);
  const fields = objectsAt(embed, 'fields').map(
    ({ name, value, inline }) =>
      html`<div class="${inline === true ? 'field inline' : 'field'}"><b>${String(name)}</b>${text(value)}</div>`,
  );
  const others = Object.entries(embed).filter(([name]) => !drawn.includes(name));
  return html`<div class="container text" style="border-left-color:#${color}">${
    isFields(embed.author) && html`<small>${String(embed.author.name)}</small>`
  }${embed.title !== undefined && html`<h3>${String(embed.title)}</h3>`}${
    embed.description !== undefined && text(embed.description)
  }<div class="fields">${fields}</div>${others.map(([name, value]) => drawUnknown(name, value))}${
    isFields(embed.footer) && html`<small>${String(embed.footer.text)}</small>`
  }</div>`;
}
