import type { AnyCommand, Job, Person } from './command.ts';
import type { AnyValues } from './option.ts';

/** Who asked what, as it's said above a message where nothing else tells whose that is. */
export interface Asked {
  readonly requester: Pick<Person, 'name' | 'locale'>;
  readonly command: string;
  readonly options: AnyValues;
  /** What they asked for; empty where the message itself repeats it. */
  readonly text: string;
}

/** Whose command a job is. */
export function askedIn<Dependencies>(
  { requester, command, options }: Pick<Job, 'requester' | 'command' | 'options'>,
  definition: Pick<AnyCommand<Dependencies>, 'textOption'> | undefined,
): Asked {
  return { requester, command, options, text: String(options[definition?.textOption ?? ''] ?? '') };
}
