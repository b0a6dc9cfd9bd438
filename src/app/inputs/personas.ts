import { asCode } from '../../lib/text.ts';
import {
  definitions,
  isInherit,
  maxPersonaName,
  maxPersonas,
  type Persona,
  type PersonaFault,
  type PersonaParts,
  readPersonaName,
} from '../../place-settings/index.ts';
import type { AnyValues } from '../../port/index.ts';
import { InputError } from '../faults/explain.ts';
import type { VoiceList } from '../voices.ts';

/** What a persona has besides its name. */
const partNames = ['prompt', 'voice', 'model', 'image_size'] as const;

/**
 * A persona as it was entered: what's empty it doesn't have. Of one that's given, what wasn't entered stays.
 * @throws {InputError} if some of it isn't allowed.
 */
export async function readPersona(
  entered: AnyValues,
  voiceList: Pick<VoiceList, 'mayHave'>,
  before?: Persona,
): Promise<PersonaParts> {
  const typed = String(entered.name ?? '').trim();
  if (typed === '') throw new InputError((say) => say.spending.personas.nameless);
  const name = before?.name ?? readPersonaName(typed);
  if (name === undefined) throw new InputError((say) => say.spending.personas.badName(maxPersonaName));
  const parts = partNames.flatMap((part) => {
    const text = entered[part] === undefined ? before?.[part] : readPart(part, String(entered[part]));
    return text === undefined ? [] : [[part, text]];
  });
  const persona: PersonaParts = { name, ...Object.fromEntries(parts) };
  const { voice } = persona;
  if (voice !== undefined && voice !== before?.voice && !(await voiceList.mayHave(voice)))
    throw new InputError((say) => say.spending.settings.unknownVoice(voice));
  return persona;
}

function readPart(part: (typeof partNames)[number], entered: string) {
  const text = entered.trim();
  if (text === '' || isInherit(text)) return undefined;
  if (part === 'prompt') return definitions.persona.read(text) || undefined;
  const { read, allowed } = definitions[part];
  const value = read(text);
  if (value !== undefined) return value;
  const fault = { option: part, code: 'wrong-form', given: text, allowed } as const;
  throw new InputError((say) => say.faults('settings', [fault]));
}

/** A persona as it is `now`, with what was entered otherwise than a form has `shown` it. */
export function changedParts(
  entered: PersonaParts,
  shown: PersonaParts | undefined,
  now: PersonaParts | undefined,
): PersonaParts {
  const parts = (['name', ...partNames] as const).map((part) => {
    const text = entered[part] === shown?.[part] ? now?.[part] : entered[part];
    return [part, text];
  });
  return Object.fromEntries(parts.filter(([, text]) => text !== undefined)) as PersonaParts;
}

/** A persona that was kept. @throws {InputError} that says why it wasn't. */
export function keptPersona(kept: Persona | PersonaFault, { name }: PersonaParts): Persona {
  if (typeof kept !== 'string') return kept;
  throw new InputError(({ spending: { personas } }) => {
    if (kept === 'full') return personas.full(maxPersonas);
    return kept === 'taken' ? personas.taken(asCode(name, 80)) : personas.gone;
  });
}
