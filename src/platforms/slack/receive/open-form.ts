import type { Form } from '../../../port/index.ts';
import { isAnswerLost, platformError } from '../api/errors.ts';
import { type FormOrigin, modalOf } from '../commands/form.ts';
import { slackWords } from '../words.ts';
import { type HandlerContext, type SlackCaller, whisperTo } from './handler-context.ts';

/** Opens a form for the person who caused the trigger; within three seconds of it. */
export async function openForm(
  context: HandlerContext,
  form: Form,
  origin: FormOrigin,
  trigger: string,
  caller: SlackCaller,
): Promise<void> {
  const { workspace } = caller.address;
  const { locale } = caller.requester;
  const command = context.dispatcher.commands.find(({ name }) => name === form.command);
  if (!command) throw new Error(`a form for the unknown command ${form.command}`);
  const suggest = (option: string) => context.dispatcher.suggest(form.command, option, '', locale);
  const namesPeople = form.fields.some((name) => {
    const option = command.options[name];
    return option?.type === 'text' && option.people;
  });
  const groups = namesPeople ? await context.userGroups.of(workspace) : [];
  const areGroupsUnreadable = namesPeople && (await context.userGroups.areUnreadable(workspace));
  const view = modalOf({ form, command, origin, locale, suggest, groups, areGroupsUnreadable });
  try {
    // A form that a window’s button opens lies above that window.
    const isAbove = origin.kind === 'press' && Boolean(origin.view);
    await context.api.call(workspace, isAbove ? 'views.push' : 'views.open', { trigger_id: trigger, view });
  } catch (error) {
    if (platformError(error).kind !== 'expired' && !isAnswerLost(error)) throw error;
    await whisperTo(context, caller, slackWords(caller.requester.locale).tooLate);
  }
}
