import type { CommandAbout, Option } from '../../../port/index.ts';
import { optionLabel } from '../../../words/option-labels.ts';

/** Types of a step’s inputs and outputs (app manifest reference, `functions`). */
type ParameterType =
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'slack#/types/channel_id'
  | 'slack#/types/user_id';

interface Parameter {
  readonly type: ParameterType;
  readonly title: string;
  readonly description: string;
  readonly is_required: boolean;
}

/** The commands that are steps in Workflow Builder, by the title of each; a manifest has one language. */
const titles: Readonly<Record<string, string>> = {
  ask: 'Ask troupe',
  speak: 'Speak a text',
  imagine: 'Draw an image',
  video: 'Make a video',
};

/** Options that only make sense for a person who is there. */
const personalOptions: readonly string[] = ['private', 'thread', 'spoiler', 'aloud', 'where', 'as'];

/** Inputs besides the command’s options. */
export const placeInputs = {
  channel: 'channel',
  person: 'person',
} as const;

/** The steps for Workflow Builder, as the manifest’s `functions`, made from the commands. */
export function stepDefinitions(commands: readonly CommandAbout[]) {
  return Object.fromEntries(
    stepCommands(commands).map((command) => [
      command.name,
      {
        title: titles[command.name] ?? command.name,
        description: command.description.en,
        input_parameters: inputsOf(command),
        output_parameters: outputsOf(command),
      },
    ]),
  );
}

/** The commands that are steps. */
export function stepCommands(commands: readonly CommandAbout[]): readonly CommandAbout[] {
  return commands.filter(({ name }) => Object.hasOwn(titles, name));
}

function inputsOf({ options, postsFiles }: CommandAbout): Readonly<Record<string, Parameter>> {
  const given = Object.entries(options)
    .filter(([name, { type }]) => type !== 'file' && !personalOptions.includes(name))
    .map(([name, option]): [string, Parameter] => [
      name,
      {
        type: typeOf(option),
        title: optionLabel(name, 'en'),
        description: describe(option),
        is_required: option.required === true,
      },
    ]);
  return {
    ...Object.fromEntries(given),
    [placeInputs.channel]: {
      type: 'slack#/types/channel_id',
      title: 'Channel',
      description: postsFiles
        ? 'Where the result is posted; the person’s direct messages with troupe if left out'
        : 'Where the answer is posted as well',
      is_required: false,
    },
    [placeInputs.person]: {
      type: 'slack#/types/user_id',
      title: 'Person',
      description: 'Whose permissions and budget count; if left out, those of anyone in the workspace',
      is_required: false,
    },
  };
}

/** What a step gives to the next ones. */
function outputsOf({ postsFiles }: CommandAbout): Readonly<Record<string, Parameter>> {
  const output = (title: string, description: string, is_required: boolean): Parameter => ({
    ...{ type: 'string', title, description, is_required },
  });
  const link = { message_link: output('Link to the message', 'Empty where nothing was posted', false) };
  if (!postsFiles) return { answer: output('Answer', 'The whole answer, as Markdown', true), ...link };
  return { file_link: output('Link to the file', 'Several are separated by spaces', true), ...link };
}

function typeOf({ type }: Option): ParameterType {
  return type === 'integer' || type === 'number' || type === 'boolean' ? type : 'string';
}

function describe(option: Option): string {
  const about = option.description.en;
  return option.type === 'choice' ? `${about}: ${option.choices.join(', ')}` : about;
}
