import type { BlockAction, types, ViewOutput } from '@slack/bolt';
import {
  type LiveAnswer,
  type Message,
  type MessageAddress,
  PlatformError,
  type Reply,
  type StreamOptions,
} from '../../../port/index.ts';
import { isAnswerLost, isFeatureMissing, platformError, slackCode } from '../api/errors.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { callOf, homeAddress, placeOf } from '../home/home-tab.ts';
import { interactionId } from '../incoming/arrivals.ts';
import { messageView, type ViewPlace } from '../markup/sections.ts';
import type { SlackReply } from '../reply/reply.ts';
import { suggestedPrompts } from '../setup/manifest.ts';
import { slackWords } from '../words.ts';
import { type HandlerContext, openForm, orExplain, replyIn, type SlackCaller } from './handler-context.ts';

/**
 * Handles a button in the Home tab, or in a window that one opened: Slack sends no channel and no message with it.
 * Afterwards the Home tab shows what has changed.
 */
export async function onViewPress(context: HandlerContext, body: BlockAction): Promise<void> {
  const place = placeOf(body.view?.private_metadata ?? '');
  const eventId = interactionId('press', body);
  // The view's own, which only the bot writes: in an organization Slack may name another workspace of the person's.
  if (place && (await context.arrivals.isFirst(eventId))) await handle(context, body, place, eventId);
}

async function handle(
  context: HandlerContext,
  body: BlockAction,
  place: ViewPlace,
  eventId: string,
): Promise<void> {
  const { view, actions, trigger_id: trigger, user } = body;
  const [action] = actions;
  if (!action || !view) return;
  // What a press itself says of its button may be made up.
  const button = buttonIn(view, action.action_id);
  const address = homeAddress(place);
  const requester = await context.people.find(place.workspace, user.id, user.name ?? user.username);
  const caller = { address, requester, eventId };
  const window = view.type === 'modal' ? view.id : undefined;
  const reply = new ViewReply(context, caller, { trigger, view: window });
  const call = button && callOf(button);
  await orExplain(context, caller, async () => {
    await using prepared = call
      ? await context.requests.prepare({ ...caller, ...call })
      : await context.requests.preparePress({
          ...caller,
          // Results in progress are shown wherever they were asked for; the page is the person's own.
          requester: window === undefined ? { ...requester, direct: true } : requester,
          actionId: action.action_id,
          ...(!button && { isMadeUp: true }),
          message: messageIn(address, window),
          maxInput: formLimits.input,
        });
    switch (prepared.kind) {
      case 'refused':
        await reply.whisper({ text: prepared.text });
        return;
      case 'form': {
        const { form } = prepared;
        const origin = {
          kind: 'press',
          action: form.sentAs ?? action.action_id,
          command: form.command,
          ...place,
          message: window ?? '',
          view: window ?? '',
        } as const;
        return openForm(context, form, origin, trigger, caller);
      }
      case 'accepted':
        await prepared.record();
        await context.acknowledge();
        await prepared.run(reply);
    }
  });
  await context.homeTab.refresh(place, user.id);
}

/** The button with that id as the bot wrote it into the view. */
function buttonIn({ blocks }: ViewOutput, id: string): types.Button | undefined {
  const elements = blocks.flatMap((block) =>
    block.type === 'actions' && 'elements' in block ? block.elements : [],
  );
  return elements.find((one): one is types.Button => one.type === 'button' && one.action_id === id);
}

/** The message that a window shows, which the bot can replace while it’s open. */
export function messageIn(address: SlackCaller['address'], view: string | undefined): MessageAddress {
  if (view === undefined || view === '') return { ...address, message: '' };
  return { ...address, platformData: { view }, message: view };
}

/** The press that is answered. */
interface ViewPress {
  /** Opens one window within three seconds. */
  readonly trigger: string | undefined;
  /** The window with the button; undefined where the button is in the Home tab. */
  readonly view: string | undefined;
}

/**
 * Answers a button of the Home tab: in a window above it, which further answers replace. What doesn't go into a window
 * goes into the person's direct messages.
 */
export class ViewReply implements Reply {
  readonly #context: HandlerContext;
  readonly #caller: SlackCaller;
  readonly #directly: SlackReply;
  #press: ViewPress;

  constructor(context: HandlerContext, caller: SlackCaller, press: ViewPress) {
    this.#context = context;
    this.#caller = caller;
    this.#press = press;
    this.#directly = replyIn(context, { ...caller, seenBy: 'requester' });
  }

  async say(message: Message): Promise<MessageAddress> {
    const { files = [], ...text } = message;
    // A picture beside a text is for where the text is: the command goes on without. Any other file was asked for.
    if (files.some(({ kind }) => kind === 'image')) throw new PlatformError('file-not-allowed');
    if (files.length > 0) {
      await this.#directly.say({ files });
      const { filesInMessages } = slackWords(this.#caller.requester.locale);
      return this.#show({ ...text, text: [text.text, filesInMessages].filter(Boolean).join('\n') });
    }
    return this.#show(text);
  }

  async replace(said: MessageAddress, message: Message): Promise<void> {
    if (said.platformData?.view === undefined) return this.#directly.replace(said, message);
    await this.#show(message);
  }

  async whisper(message: Message): Promise<void> {
    await this.say(message);
  }

  /** Nothing that is answered live has a button in the Home tab; what has is answered in the direct messages. */
  stream(options: StreamOptions): LiveAnswer {
    return this.#directly.stream(options);
  }

  async #show(message: Message): Promise<MessageAddress> {
    const { address } = this.#caller;
    const text = this.#context.inSlackStyle(message.text ?? '');
    try {
      const id = await this.#put(messageView({ ...message, text }, address));
      return { ...address, platformData: { view: id }, message: id };
    } catch (error) {
      const isGone = slackCode(error) === 'not_found' || platformError(error).kind === 'expired';
      if (!isGone && !isAnswerLost(error)) throw platformError(error);
      // The window was closed, or it took too long to open one.
      return this.#directly.say(message);
    }
  }

  async #put(view: object): Promise<string> {
    const { api } = this.#context;
    const { workspace } = this.#caller.address;
    const { trigger, view: open } = this.#press;
    if (open !== undefined) {
      await api.call(workspace, 'views.update', { view_id: open, view });
      return open;
    }
    const answer = await api.call(workspace, 'views.open', { trigger_id: trigger, view });
    const { id = '' } = (answer.view ?? {}) as { readonly id?: string };
    this.#press = { trigger: undefined, view: id };
    return id;
  }
}

/** Somebody opened the bot: shows suggested prompts in its direct messages, or what’s theirs in its Home tab. */
export async function onAppOpened(
  context: HandlerContext,
  event: types.AppHomeOpenedEvent,
  workspace: string,
): Promise<void> {
  await context.directMessages.noteOwn(workspace, event.channel);
  if (event.tab === 'home') {
    const { channel } = event;
    // Which the type of its view lacks.
    const { hash } = (event.view ?? {}) as { readonly hash?: string };
    return context.homeTab.opened({ workspace, channel }, event.user, hash);
  }
  if (event.tab !== 'messages') return;
  const { locale } = await context.people.find(workspace, event.user);
  const args = { channel_id: event.channel, prompts: suggestedPrompts(locale) };
  try {
    await context.api.call(workspace, 'assistant.threads.setSuggestedPrompts', args, { urgent: false });
  } catch (error) {
    if (!isFeatureMissing(error)) throw error;
  }
}
