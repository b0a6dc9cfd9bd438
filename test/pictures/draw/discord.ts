import { ComponentType, MessageFlags } from 'discord-api-types/v10';
import type { Locale } from '../../../src/port/index.ts';
import { type Fields, isFields, objectsAt } from '../../fakes/discord/http/fields.ts';
import type { Channel, FakeDiscord, Interaction, Message, User } from '../../fakes/discord/index.ts';
import type { StoredFile } from '../../fakes/discord/model.ts';
import { chrome, drawMessage } from './chrome.ts';
import { drawComponents, drawInput } from './discord-components.ts';
import { drawEmbed } from './discord-embeds.ts';
import { type Html, html, wordsOf } from './html.ts';
import { discordMarkdown, type NameOf } from './markdown.ts';
import { drawFiles, type DrawnFile } from './media.ts';

/** Who looks, in which language. */
export interface DiscordViewer {
  readonly discord: FakeDiscord;
  readonly user: User;
  readonly locale: Locale;
}

/** A channel or thread as one person sees it: what everybody sees, and what's for them alone. */
export function drawDiscordChannel(
  viewer: DiscordViewer,
  channel: Channel,
  messages: readonly Message[] = viewer.discord.messagesIn(channel, { ephemeral: true }),
): Html {
  const seen = messages.filter(
    ({ onlyFor, flags }) =>
      (onlyFor === undefined || onlyFor === viewer.user.id) && (flags & MessageFlags.Loading) === 0,
  );
  return html`<div class="channel">${seen.map((message) => drawDiscordMessage(viewer, message))}</div>`;
}

function drawDiscordMessage(viewer: DiscordViewer, message: Message): Html {
  const { world } = viewer.discord;
  const author = world.user(message.authorId);
  const said = chrome[viewer.locale];
  const thread = world.channels.get(message.id);
  const forwarded = message.forwardOf === undefined ? undefined : world.messages.get(message.forwardOf);
  return drawMessage({
    author: author.name,
    app: author.bot ? said.app : undefined,
    above: aboveOf(viewer, message),
    only: message.onlyFor === undefined ? undefined : said.only(viewer.user.name),
    body: html`${forwarded && html`<blockquote><small>${said.forwarded}</small>${bodyOf(viewer, forwarded)}</blockquote>`}${bodyOf(
      viewer,
      message,
    )}${
      thread?.thread &&
      html`<div class="thread-note">🧵 ${said.thread(thread.name, viewer.discord.messagesIn(thread).length)}</div>`
    }`,
  });
}

/** The message it answers, or the command it came from. */
function aboveOf(viewer: DiscordViewer, message: Message): Html | undefined {
  const { world } = viewer.discord;
  const said = chrome[viewer.locale];
  if (message.replyTo !== undefined) {
    const replied = world.messages.get(message.replyTo);
    if (!replied || replied.deleted) return html`↱ ${said.deleted}`;
    const words = wordsOf(bodyOf(viewer, replied));
    return html`↱ <b>${world.user(replied.authorId).name}</b> ${[...words].slice(0, 60).join('')}`;
  }
  const interaction = world.interactions.get(message.interactionId ?? '');
  if (interaction?.kind !== 'command' || interaction.responseMessageId !== message.id) return undefined;
  return html`↱ ${said.used(world.user(interaction.userId).name, commandName(viewer, interaction))}`;
}

function commandName({ discord, locale }: DiscordViewer, { commandName: name = '' }: Interaction): string {
  const command = discord.commands.list('global').find((one) => one.name === name);
  const names = isFields(command?.name_localizations) ? command.name_localizations : {};
  const shown = String(names[locale] ?? name);
  return command?.type === undefined || command.type === 1 ? `/${shown}` : shown;
}

function bodyOf(viewer: DiscordViewer, message: Message): Html {
  const nameOf = namesFor(viewer);
  const files = message.files.map(asDrawn);
  const inComponents = new Set<string>();
  const components = drawComponents(message.components, {
    nameOf,
    chrome: chrome[viewer.locale],
    file: (address) => {
      const index = message.files.findIndex(
        ({ name, url }) => address === `attachment://${name}` || address.startsWith(url),
      );
      if (index < 0) return undefined;
      inComponents.add(message.files[index]?.id ?? '');
      return files[index];
    },
  });
  const rest = files.filter((_, index) => !inComponents.has(message.files[index]?.id ?? ''));
  const text = message.content !== '' && discordMarkdown(message.content, nameOf);
  const embeds = message.embeds.map((embed) => drawEmbed(embed, nameOf));
  return html`${text && html`<div class="text">${text}</div>`}${embeds}${drawFiles(rest)}${components}`;
}

function asDrawn(file: StoredFile): DrawnFile {
  return { ...file, seconds: file.durationSeconds };
}

/** People, roles, channels, times and commands, as a client writes them. */
function namesFor({ discord, locale }: DiscordViewer): NameOf {
  const { world } = discord;
  const roles = () => [...world.guilds.values()].flatMap(({ roles }) => [...roles.values()]);
  return (reference) => {
    const [, sign = '', id = ''] = /^<(@&|@!?|#|t:|\/)([^>]+)>$/.exec(reference) ?? [];
    if (sign.startsWith('@&')) return `@${roles().find((role) => role.id === id)?.name ?? id}`;
    if (sign.startsWith('@'))
      return `@${(world.users.get(id) ?? roles().find((role) => role.id === id))?.name ?? id}`;
    if (sign === '#') return `#${world.channels.get(id)?.name ?? id}`;
    if (sign === 't:') return timeOf(id, locale);
    return `/${id.split(':')[0]}`;
  };
}

/** A time stamp as Discord's client writes it; how long ago or until then, for those that are relative. */
function timeOf(stamp: string, locale: Locale): string {
  const [seconds, style] = stamp.split(':');
  const at = Number(seconds) * 1000;
  if (style !== 'R') return new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const minutes = Math.round((at - Date.now()) / 60_000);
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(minutes, 'minute');
}

/** The form that an interaction was answered with, with what a person enters into it. */
export function drawDiscordForm(
  { discord, locale }: DiscordViewer,
  { modal }: Interaction,
  entered: Readonly<Record<string, unknown>> = {},
): Html {
  if (!modal) throw new Error('No form was opened');
  const said = chrome[locale];
  const nameOf = namesFor({ discord, locale, user: discord.world.bot });
  const parts = objectsAt(modal, 'components').map((part) => drawPart(part));
  return html`<div class="form"><h2>${String(modal.title)}</h2>${parts}<div class="row end"><span class="button">${said.cancel}</span><span class="button primary">${said.submit}</span></div></div>`;

  function drawPart(part: Fields): Html {
    if (part.type !== ComponentType.Label || !isFields(part.component))
      return html`<div class="text">${discordMarkdown(String(part.content), nameOf)}</div>`;
    const { component, label, description } = part;
    return html`<label><b>${String(label)}</b>${component.required !== false && html`<i class="needed"> *</i>`}${
      description !== undefined && html`<small>${String(description)}</small>`
    }${drawInput(component, { chrome: said, nameOf }, entered[String(component.custom_id)])}</label>`;
  }
}
