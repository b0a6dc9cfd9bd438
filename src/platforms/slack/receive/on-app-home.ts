import type { BlockAction } from '@slack/bolt';
import type { MessageAddress } from '../../../port/index.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { callOf, homeAddress, placeOf } from '../home/home-tab.ts';
import { ViewReply } from '../home/view-reply.ts';
import type { ViewPlace } from '../markup/sections.ts';
import { suggestedPrompts } from '../setup/manifest.ts';
import { type HandlerContext, openForm, orExplain, replyIn, type SlackCaller } from './handler-context.ts';

/**
 * Handles a button in the Home tab, or in a window that one opened: Slack sends no channel and no message with it.
 * Afterwards the Home tab shows what has changed.
 */
export async function onViewPress(context: HandlerContext, body: BlockAction): Promise<void> {
  const place = placeOf(body.view?.private_metadata ?? '');
  const eventId = `slack:press:${body.trigger_id}`;
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
  const address = homeAddress(place);
  const requester = await context.people.find(place.workspace, user.id, user.name ?? user.username);
  const caller = { address, requester, eventId };
  const window = view.type === 'modal' ? view.id : undefined;
  const reply = viewReply(context, caller, { trigger, view: window });
  const call = callOf(action.action_id, 'value' in action ? action.value : undefined);
  await orExplain(context, caller, async () => {
    await using prepared = call
      ? await context.requests.prepare({ ...caller, ...call })
      : await context.requests.preparePress({
          ...caller,
          // Results in progress are shown wherever they were asked for; the page is the person's own.
          requester: window === undefined ? { ...requester, direct: true } : requester,
          actionId: action.action_id,
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
          action: action.action_id,
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

/** The message that a window shows, which the bot can replace while it’s open. */
export function messageIn(address: SlackCaller['address'], view: string | undefined): MessageAddress {
  if (view === undefined || view === '') return { ...address, message: '' };
  return { ...address, platformData: { view }, message: view };
}

/** Answers in a window, else in the person’s direct messages. */
export function viewReply(
  context: HandlerContext,
  caller: SlackCaller,
  press: ConstructorParameters<typeof ViewReply>[2],
): ViewReply {
  const directly = replyIn(context, { ...caller, seenBy: 'requester' });
  return new ViewReply(context, caller, press, directly);
}

/** Somebody opened the bot: shows suggested prompts in its direct messages, or what’s theirs in its Home tab. */
export async function onAppOpened(
  context: HandlerContext,
  event: {
    readonly user: string;
    readonly channel: string;
    readonly tab?: string;
    /** The view of the Home tab; Bolt’s type lacks its hash. */
    readonly view?: object;
  },
  workspace: string,
): Promise<void> {
  await context.directMessages.noteOwn(workspace, event.channel);
  if (event.tab === 'home') {
    const { channel } = event;
    const { hash } = (event.view ?? {}) as { readonly hash?: string };
    return context.homeTab.opened({ workspace, channel }, event.user, hash);
  }
  if (event.tab !== 'messages') return;
  const { locale } = await context.people.find(workspace, event.user);
  const args = { channel_id: event.channel, prompts: suggestedPrompts(locale) };
  await context.api.call(workspace, 'assistant.threads.setSuggestedPrompts', args, { urgent: false });
}
