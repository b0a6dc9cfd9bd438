import type { ControlledPlace, ControlOutcome } from '../../../../port/control-room.ts';
import type { NumberAsked } from '../elements/dialogs.ts';
import { element } from '../elements/dom.ts';
import { say } from '../words/index.ts';

/** Carries out actions, and shows what they came to. */
export interface Act {
  /** Asks first. */
  confirmed(title: string, detail: string, submit: string, work: () => Promise<ControlOutcome>): void;
  now(work: () => Promise<ControlOutcome>): void;
  /** Asks for a number first. */
  number(asked: NumberAsked, work: (value: number) => Promise<ControlOutcome>): void;
}

const platformNames: Readonly<Record<string, string>> = {
  discord: 'Discord',
  slack: 'Slack',
  console: 'Console',
};

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

/** A place's name; its id where that isn't known. */
export function placeName(
  at: { readonly platform: string; readonly workspace: string },
  places: readonly Pick<ControlledPlace, 'platform' | 'workspace' | 'name'>[],
): string {
  if (at.platform === 'console') return platformName('console');
  const known = places.find(
    ({ platform, workspace }) => platform === at.platform && workspace === at.workspace,
  );
  return known?.name || at.workspace || say.nobody;
}

/** A part of the room, with its title. */
export function card(
  title: string,
  detail: string | undefined,
  ...content: readonly (Node | false)[]
): HTMLElement {
  return element(
    'section',
    { class: 'card' },
    element(
      'header',
      {},
      element('h2', {}, title),
      detail !== undefined && element('span', { class: 'soft' }, detail),
    ),
    ...content,
  );
}
