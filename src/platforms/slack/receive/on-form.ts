import type { ViewSubmitAction } from '@slack/bolt';
import {
  type CommandAbout,
  formPress,
  messageItIsAbout,
  type OptionFault,
  type Person,
} from '../../../port/index.ts';
import { words } from '../../../words/index.ts';
import { formLimits } from '../commands/form-inputs.ts';
import { faultsByBlock, type FormState, formValues, readOrigin } from '../commands/form-values.ts';
import { typedName } from '../commands/slash-commands.ts';
import { homeAddress } from '../home/home-tab.ts';
import { answerHeader } from '../markup/message-formats.ts';
import { fileIn } from '../media/uploads.ts';
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
  const eventId = `slack:form:${view.id}:${body.trigger_id}`;
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
  const entered = formValues(view.state.values as FormState, command, (file) => fileIn(file, workspace));
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

function errorsOf(
  command: CommandAbout,
  faults: readonly OptionFault[],
  blocks: readonly string[],
  { locale }: Person,
): Errors {
  const sentence = (fault: OptionFault) => words(locale).faults(command.name, [fault]).replaceAll('`', '');
  return faultsByBlock(faults, command.options, blocks, sentence);
}
