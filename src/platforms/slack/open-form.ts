import type { Form, Locale } from '../../port/index.ts';
import { type FormOrigin, modalOf } from './form.ts';
import type { Listening } from './listening.ts';

/** Opens a form on the screen of whoever pulled the trigger; within three seconds of that. */
export async function openForm(
  parts: Listening,
  form: Form,
  origin: FormOrigin,
  workspace: string,
  trigger: string,
  locale: Locale,
): Promise<void> {
  const command = parts.dispatcher.commands.find(({ name }) => name === form.command);
  if (!command) throw new Error(`a form for the unknown command ${form.command}`);
  const suggest = (option: string) => parts.dispatcher.suggest(form.command, option, '', locale);
  const view = modalOf({ form, command, origin, locale, suggest });
  await parts.api.call(workspace, 'views.open', { trigger_id: trigger, view });
}
