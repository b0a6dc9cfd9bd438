import type { CommandAbout, IncomingFile, OptionFault, RawValues } from '../../../port/index.ts';
import { withoutCodesForVoice } from '../markup/emoji.ts';
import type { MessageFile } from '../media/uploads.ts';
import { groupsBlock, inputAction, peopleValue } from './form-inputs.ts';
import { fileBlock, fileGroups, type FormOrigin } from './form.ts';

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

/** The error for each input; a fault without an input of its own goes to the first one. */
export function faultsByBlock(
  faults: readonly OptionFault[],
  options: CommandAbout['options'],
  blocks: readonly string[],
  sentence: (fault: OptionFault) => string,
): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const fault of faults) {
    const group = fileGroups(options).find((one) => one.options.includes(fault.option));
    const wanted = group ? fileBlock(group.name) : fault.option;
    const block = blocks.includes(wanted) ? wanted : blocks[0];
    if (block === undefined) continue;
    errors[block] = errors[block] === undefined ? sentence(fault) : `${errors[block]} ${sentence(fault)}`;
  }
  return errors;
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
