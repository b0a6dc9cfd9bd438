import type { CommandAbout, RawValues } from '../../../port/index.ts';
import { withoutCodesForVoice } from '../markup/emoji.ts';
import { mentionedUsers, type NameOf, withNames } from '../markup/incoming-text.ts';
import type { People } from './people.ts';
import type { UserGroup, UserGroups } from './user-groups.ts';

/** The people and groups that a command mentions, and all groups of the workspace. */
export interface Mentions {
  readonly nameOf: NameOf;
  readonly groups: readonly UserGroup[];
}

/** Looks up the names of those a command mentions; `labels` are the names Slack gave in the text. */
export async function namesIn(
  { people, userGroups: groups }: { readonly people: People; readonly userGroups: UserGroups },
  workspace: string,
  text: string,
  labels: ReadonlyMap<string, string>,
): Promise<Mentions> {
  const mightNameGroups = text.includes('@') || text.includes('<!subteam^');
  const [names, known] = await Promise.all([
    people.namesOf(workspace, mentionedUsers(text)),
    mightNameGroups ? groups.of(workspace) : [],
  ]);
  const handles = new Map(known.map(({ id, handle }) => [id, handle]));
  return { nameOf: (id) => names.get(id) ?? labels.get(id) ?? handles.get(id), groups: known };
}

/**
 * Values as a command takes them: ids where people are chosen, names wherever a person or a model reads, and no codes of
 * emoji where a voice does.
 */
export function commandValues(
  command: Pick<CommandAbout, 'options' | 'textOption' | 'postsFiles'>,
  values: RawValues,
  { nameOf, groups }: Mentions,
): RawValues {
  const read = Object.entries(values).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value];
    const option = command.options[name];
    const choosesPeople = option?.type === 'text' && option.people;
    if (choosesPeople) return [name, withGroups(value, groups)];
    return [name, withoutCodesForVoice(command, name, withNames(value, nameOf))];
  });
  return Object.fromEntries(read);
}

/** Whether an option that chooses people names a group. */
export function choosesGroups(options: CommandAbout['options'], values: RawValues): boolean {
  return Object.entries(values).some(([name, value]) => {
    const option = options[name];
    if (option?.type !== 'text' || !option.people || typeof value !== 'string') return false;
    return value.includes('<!subteam^') || handles.test(value);
  });
}

/** Names as people type them; a person’s comes as an id. */
const handles = /(?<![<\w])@[\w.-]/;

/** Slack may send a group’s name without its id. */
function withGroups(text: string, groups: readonly UserGroup[]): string {
  return text.replace(/(?<![<\w])@([\w.-]{1,80})/g, (whole, handle: string) => {
    const group = groups.find((one) => one.handle === handle);
    return group ? `<!subteam^${group.id}>` : whole;
  });
}
