import type { Locale } from '../../../src/port/index.ts';
import {
  type Channel,
  type Ephemeral,
  type FakePerson,
  type Json,
  type Message,
  shownText,
  type SlackFile,
} from '../../fakes/slack/index.ts';
import { chrome, drawMessage } from './chrome.ts';
import { type Html, html } from './html.ts';
import { mrkdwn, type NameOf, slackMarkdown } from './markdown.ts';
import { drawFiles, type DrawnFile } from './media.ts';
import { type BlockContext, drawBlocks } from './slack-blocks.ts';

/** Who looks, in which language. */
export interface SlackViewer {
  readonly person: FakePerson;
  readonly locale: Locale;
}

/** A channel with its threads as one person sees it: what everybody sees, and what's for them alone. */
export function drawSlackChannel(
  viewer: SlackViewer,
  channel: Channel,
  messages: readonly Message[] = [...channel.messages.values()],
): Html {
  const whispers = viewer.person.whispers.filter((one) => one.channel === channel.id);
  const roots = messages.filter(({ ts, threadTs }) => threadTs === undefined || threadTs === ts);
  const repliesTo = (ts: string) => messages.filter((one) => one.threadTs === ts && one.ts !== ts);
  const alone = (thread: string | undefined) => whispers.filter(({ threadTs }) => threadTs === thread);
  const rows = inOrder([...roots, ...alone(undefined)], (one) => {
    if ('via' in one) return drawWhisper(viewer, one);
    const replies = [...repliesTo(one.ts), ...alone(one.ts)];
    const status = statusUnder(viewer, channel, one.ts);
    return html`${drawSlackMessage(viewer, one)}${
      (replies.length > 0 || status !== undefined) &&
      html`<div class="replies"><small>${chrome[viewer.locale].replies(replies.length)}</small>${inOrder(
        replies,
        (reply) => ('via' in reply ? drawWhisper(viewer, reply) : drawSlackMessage(viewer, reply)),
      )}${status}</div>`
    }`;
  });
  return html`<div class="channel">${rows}${promptsIn(viewer, channel)}</div>`;
}

function inOrder<T extends { readonly ts: string }>(all: readonly T[], draw: (one: T) => Html): Html[] {
  return all.toSorted((a, b) => Number(a.ts) - Number(b.ts)).map(draw);
}

function drawSlackMessage(viewer: SlackViewer, message: Message): Html {
  const { workspace } = viewer.person;
  const said = chrome[viewer.locale];
  if (message.tombstone) return html`<article class="message"><small>${said.deleted}</small></article>`;
  const user = workspace.users.get(message.user);
  const context = contextOf(viewer);
  const files = message.files.flatMap((id) => workspace.files.get(id) ?? []).map(asDrawn);
  const inBlocks = JSON.stringify(message.blocks);
  const rest = files.filter((_, index) => !inBlocks.includes(`"${message.files[index]}"`));
  const words = message.markdown
    ? slackMarkdown(message.markdown, context.nameOf)
    : message.blocks.length === 0 && mrkdwn(message.text, context.nameOf);
  return drawMessage({
    author: message.byApp ? workspace.botName : (user?.realName ?? message.user),
    app: message.byApp ? said.app : undefined,
    body: html`${words && html`<div class="text">${words}</div>`}${drawBlocks(message.blocks, context)}${drawFiles(rest)}`,
  });
}

function drawWhisper(viewer: SlackViewer, whisper: Ephemeral): Html {
  const { workspace, user } = viewer.person;
  const said = chrome[viewer.locale];
  const context = contextOf(viewer);
  return drawMessage({
    author: workspace.botName,
    app: said.app,
    only: said.only(user.realName),
    body:
      whisper.blocks.length > 0
        ? drawBlocks(whisper.blocks, context)
        : html`<div class="text">${mrkdwn(whisper.text, context.nameOf)}</div>`,
  });
}

/** What the app says it's doing in a thread, or that its agent is at work. */
function statusUnder({ person, locale }: SlackViewer, channel: Channel, ts: string): Html | undefined {
  const { statuses, sessions } = person.slack.world;
  const status = statuses.find((one) => one.channel === channel.id && one.threadTs === ts && !one.endedBy);
  const session = sessions.get(`${channel.id} ${ts}`);
  const words = [
    session?.title !== undefined && `${session.title} · ${stateOf(session.status, locale)}`,
    status && `${person.workspace.botName} ${status.text}`,
  ].filter(Boolean);
  return words.length > 0 ? html`<div class="status">${words.join(' — ')}</div>` : undefined;
}

/** The state of a session, in words; as it is where there are none for it. */
function stateOf(state: string, locale: Locale): string {
  const words: Readonly<Record<string, string>> = chrome[locale].sessions;
  return words[state] ?? state;
}

function promptsIn({ person }: SlackViewer, channel: Channel): Html | undefined {
  const prompts = person.slack.world.prompts.get(channel.id);
  const chips = prompts?.map(
    ({ title, message }) => html`<div class="prompt"><b>${title}</b><small>${message}</small></div>`,
  );
  return chips && html`<div class="prompts">${chips}</div>`;
}

/** People, channels, groups and times as a client writes them; undefined for what the workspace doesn't have. */
export function namesFor({ person: { workspace } }: SlackViewer): NameOf {
  return (reference) => {
    const [, sign = '', id = '', label] = /^<([@#!])([^|>]+)(?:\|([^>]*))?>$/.exec(reference) ?? [];
    const [user, channel] = [workspace.users.get(id), workspace.channels.get(id)];
    if (sign === '@') return user && `@${user.realName}`;
    if (sign === '#') return channel && `#${channel.name}`;
    if (id.startsWith('subteam^')) return `@${workspace.groups.get(id.slice(8))?.handle ?? id}`;
    return label ?? `@${id}`;
  };
}

function contextOf(viewer: SlackViewer): BlockContext {
  const { files } = viewer.person.workspace;
  return {
    nameOf: namesFor(viewer),
    chrome: chrome[viewer.locale],
    file: (id) => {
      const file = files.get(id);
      return file && asDrawn(file);
    },
  };
}

function asDrawn({ name, title, mimetype, bytes, altText }: SlackFile): DrawnFile {
  return {
    name: title || name,
    contentType: mimetype,
    bytes: bytes ?? new Uint8Array(),
    description: altText,
  };
}

/** A view on somebody's screen, with what they enter into it. */
export function drawSlackView(
  viewer: SlackViewer,
  view: { readonly content: Json; readonly errors?: Readonly<Record<string, string>> },
  entered: Readonly<Record<string, unknown>> = {},
): Html {
  const { content, errors = {} } = view;
  const blocks = drawBlocks(content.blocks as Json[], { ...contextOf(viewer), entered, errors });
  const label = (value: unknown) => shownText(String((value as Json | undefined)?.text ?? ''));
  return html`<div class="form">${content.title !== undefined && html`<h2>${label(content.title)}</h2>`}${blocks}<div class="row end">${
    content.close !== undefined && html`<span class="button">${label(content.close)}</span>`
  }${content.submit !== undefined && html`<span class="button primary">${label(content.submit)}</span>`}</div></div>`;
}
