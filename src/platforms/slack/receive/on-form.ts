import type { ViewSubmitAction } from '@slack/bolt';
import {
  type CommandAbout,
  formPress,
  type IncomingFile,
  messageItIsAbout,
  type OptionFault,
  type Person,
  type RawValues,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { formLimits, groupsBlock, inputAction, peopleValue } from '../commands/form-inputs.ts';
import { fileBlock, fileGroups, type FormOrigin } from '../commands/form.ts';
import { typedName } from '../commands/slash-commands.ts';
import { homeAddress } from '../home/home-tab.ts';
import { interactionId } from '../incoming/arrivals.ts';
import { withoutCodesForVoice } from '../markup/incoming-text.ts';
import { answerHeader } from '../markup/message-formats.ts';
import { fileIn, type MessageFile } from '../media/uploads.ts';
import { choosesGroups, withGroupIds } from '../people/people.ts';
import { threadOf } from '../post/address.ts';
import { slackWords } from '../words.ts';
import { isClosed, isStillThere, membershipFor, targetOf } from './channel-membership.ts';
import {
  carryOut,
  commandNamed,
  type HandlerContext,
  orExplain,
  quotedText,
  runVisibly,
  whisperTo,
} from './handler-context.ts';
import { messageIn, ViewReply } from './on-app-home.ts';

type Errors = Readonly<Record<string, string>>;
/** Closes the form, or shows errors in it; within three seconds. */
type AnswerForm = (errors?: Errors) => Promise<void>;

/** Handles a submitted form: shows what is wrong in it, or closes it and runs the command. */
export async function onForm(
  context: HandlerContext,
  body: ViewSubmitAction,
  answer: AnswerForm,
): Promise<void> {
  const { view } = body;
  // A form that shows an error stays the same view. Slack repeats a trigger only where it repeats what was sent.
  const eventId = interactionId('form', body);
  const origin = readOrigin(view.private_metadata);
  const command = commandNamed(context, origin?.command);
  if (!origin || !command) return answer();
  // In Slack Connect the payload names the sender’s workspace, not the one whose app opened the form.
  const { workspace } = origin;
  const window = origin.kind === 'press' ? origin.view : undefined;
  const isOutside = origin.kind === 'press' && origin.isOutside;
  const asked =
    window === undefined
      ? await context.threads.addressOf(workspace, origin.channel, origin.thread, isOutside)
      : homeAddress(origin);
  const closed = origin.kind === 'command' ? origin.closed : isClosed(origin.channel);
  const [requester, isThere, membership] = await Promise.all([
    context.people.findAt(asked, workspace, body.user.id, body.user.name),
    isStillThere(context, body.user.id, asked),
    membershipFor(context, command, {
      address: asked,
      user: body.user.id,
      closed,
      hasResponseUrl: origin.via !== undefined,
    }),
  ]);
  const address = targetOf(asked, membership);
  // Slack shows errors at inputs only.
  const inputs = view.blocks.filter(({ type }) => type === 'input');
  const blocks = inputs.map(({ block_id }) => block_id ?? '');
  const [first = ''] = blocks;
  if (!isThere) return answer({ [first]: words(requester.locale).readersOnly });
  const { values: state = {} }: Partial<typeof view.state> = view.state ?? {};
  const entered = formValues(state as FormState, command, (file) => fileIn(file, workspace));
  const groups = choosesGroups(command.options, entered) ? await context.userGroups.of(workspace) : [];
  const values = withGroupIds(command.options, entered, groups);

  const acknowledgement = origin.via === undefined ? {} : { acknowledgement: { responseUrl: origin.via } };
  const request = { eventId, address, requester, press: formPress(view.id), ...acknowledgement };
  await using prepared =
    origin.kind === 'command'
      ? await context.requests.prepare({
          ...request,
          command: origin.command,
          options: values,
          ...(origin.draft !== undefined && { draft: origin.draft }),
        })
      : await context.requests.preparePress({
          ...request,
          actionId: origin.action,
          message: window === undefined ? { ...asked, message: origin.message } : messageIn(asked, window),
          values,
          maxInput: formLimits.input,
        });
  if (prepared.kind === 'refused') {
    const { text, faults } = prepared;
    return answer(faults ? errorsOf(command, faults, blocks, requester) : { [first]: text });
  }
  if (prepared.kind !== 'accepted') return answer();
  const via = origin.via === undefined ? {} : { responseUrl: origin.via };
  const caller = { eventId, address, requester, ...via };
  await carryOut(context, prepared, {
    ...{ caller, membership },
    refuse: (why) => answer({ [first]: why }),
    async run(reply) {
      // Where Slack misses the acknowledgement, it shows the form again, and people send it again: it has its effect once.
      if (prepared.isUnrecorded && !(await context.arrivals.isFirst(`form ${view.id}`))) return;
      if (window === undefined) await context.acknowledge();
      const { goesDirect } = slackWords(requester.locale);
      await orExplain(context, caller, async () => {
        if (address !== asked)
          await whisperTo(context, { ...caller, address: asked }, goesDirect).catch(() => undefined);
        const isRoot =
          threadOf(address) === undefined && !(await context.directMessages.isOwn(workspace, asked.channel));
        const text = quotedText(command, values);
        const given = prepared.call?.options ?? {};
        const header = answerHeader(requester, typedName(origin.command, context.prefix), text, given);
        // What was entered in a form stands nowhere else: in a thread it shows whose question it is, and about which message.
        const isQuestion = origin.kind === 'press' && text !== '';
        const above = isRoot || isQuestion || messageItIsAbout(given) ? { header } : {};
        await (window === undefined
          ? runVisibly(context, prepared, { ...reply, textSuffices: !command.postsFiles, ...above })
          : prepared.run(new ViewReply(context, caller, { trigger: undefined, view: window || undefined })));
      });
      if (window === undefined) return;
      await context.acknowledge();
      await context.homeTab.refresh(asked, requester.id);
    },
  });
}

/** The error for each input; a fault without an input of its own goes to the first one. */
function errorsOf(
  { name, options }: CommandAbout,
  faults: readonly OptionFault[],
  blocks: readonly string[],
  { locale }: Person,
): Errors {
  const errors: Record<string, string> = {};
  for (const fault of faults) {
    const group = fileGroups(options).find((one) => one.options.includes(fault.option));
    const wanted = group ? fileBlock(group.name) : fault.option;
    const block = blocks.includes(wanted) ? wanted : blocks[0];
    if (block === undefined) continue;
    const sentence = words(locale).faults(name, [fault]).replaceAll('`', '');
    errors[block] = errors[block] === undefined ? sentence : `${errors[block]} ${sentence}`;
  }
  return errors;
}

/** The state of one input, as Slack sends it with a form. */
interface InputState {
  readonly value?: string | null;
  readonly selected_option?: { readonly value: string } | null;
  readonly selected_options?: readonly { readonly value: string }[];
  readonly selected_conversation?: string | null;
  readonly selected_users?: readonly string[];
  readonly files?: readonly MessageFile[];
}

export type FormState = Readonly<Record<string, Readonly<Record<string, InputState>>>>;

/** The values entered into a form, by option. */
export function formValues(
  state: FormState,
  command: Pick<CommandAbout, 'options' | 'textOption' | 'postsFiles'>,
  fileOf: (file: MessageFile) => IncomingFile,
): RawValues {
  const { options } = command;
  const values: Record<string, string | IncomingFile> = {};
  for (const [name, inputs] of Object.entries(state)) {
    const input = inputs[inputAction];
    const value = input?.selected_option?.value ?? input?.selected_conversation ?? input?.value;
    if (typeof value === 'string' && Object.hasOwn(options, name))
      values[name] = withoutCodesForVoice(command, name, value);
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.type !== 'text' || !option.people) continue;
    const users = state[name]?.[inputAction]?.selected_users ?? [];
    const groups = state[groupsBlock(name)]?.[inputAction]?.selected_options ?? [];
    const value = peopleValue(
      users,
      groups.map((group) => group.value),
    );
    if (value !== undefined) values[name] = value;
  }
  for (const group of fileGroups(options)) {
    const files = state[fileBlock(group.name)]?.[inputAction]?.files ?? [];
    group.options.forEach((option, index) => {
      const file = files[index];
      if (file) values[option] = fileOf(file);
    });
  }
  return values;
}

/** Where a form came from; undefined where it isn’t ours. */
export function readOrigin(metadata: string): FormOrigin | undefined {
  try {
    const origin = JSON.parse(metadata) as Partial<FormOrigin>;
    const known = origin.kind === 'command' || origin.kind === 'press';
    const names = [origin.workspace, origin.channel, origin.command];
    return known && names.every((name) => typeof name === 'string') ? (origin as FormOrigin) : undefined;
  } catch {
    return undefined;
  }
}
