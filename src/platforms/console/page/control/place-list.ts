import type { ControlledPlace } from '../../../../port/control-room.ts';
import { button, element } from '../elements/dom.ts';
import { formatNumber } from '../elements/format.ts';
import { say } from '../words/index.ts';
import { formatCredits, meter } from './charts.ts';
import { setCeiling, switchPlace } from './control-api.ts';
import { type Act, placeName, platformName } from './parts.ts';

/** Servers and workspaces as cards: use, ceiling, faults, and what can be done. */
export function placeList(places: readonly ControlledPlace[], act: Act): HTMLElement {
  if (places.length === 0) return element('p', { class: 'nothing' }, say.noPlaces);
  const most = Math.max(1e-9, ...places.map(({ today }) => today));
  return element('ul', { class: 'places' }, ...places.map((place) => placeCard(place, most, act)));
}

function placeCard(place: ControlledPlace, most: number, act: Act): HTMLElement {
  const name = placeName(place, [place]);
  const { platform, members, today, ceiling, faults, isOff } = place;
  const facts = [
    platformName(platform),
    ...(members === undefined ? [] : [say.members(formatNumber(members))]),
    say.calls(place.calls, formatNumber(place.calls)),
  ];
  const used = formatCredits(today);
  const share = ceiling > 0 ? today / ceiling : today / most;
  return element(
    'li',
    { class: `place-card${isOff ? ' is-off' : ''}` },
    element(
      'div',
      { class: 'place-top' },
      element('h3', { title: name }, name),
      isOff && element('span', { class: 'tag tag-off' }, say.off),
      faults > 0 && element('span', { class: 'tag tag-fault' }, say.placeFaults(faults)),
    ),
    element('p', { class: 'soft' }, facts.join(' · ')),
    meter(share, ceiling > 0 && share >= 0.8 ? 'bar bar-full' : 'bar'),
    element(
      'p',
      { class: 'place-use' },
      ceiling > 0 ? say.ofCeiling(used, formatCredits(ceiling)) : say.usedToday(used),
      element('span', { class: 'soft' }, say.total(formatCredits(place.credits))),
    ),
    element(
      'div',
      { class: 'place-actions' },
      ceilingButton(place, name, act),
      switchButton(place, name, act),
    ),
  );
}

function ceilingButton(place: ControlledPlace, name: string, act: Act): HTMLElement {
  const asked = {
    title: say.ceilingTitle(name),
    detail: say.ceilingDetail,
    label: say.ceilingField,
    given: place.ceiling,
  };
  return button(
    { class: 'action', id: `ceiling-${place.platform}-${place.workspace}`, 'aria-label': asked.title },
    () => act.number(asked, (credits) => setCeiling(place, credits)),
    say.ceiling,
  );
}

function switchButton(place: ControlledPlace, name: string, act: Act): HTMLElement {
  const id = `switch-${place.platform}-${place.workspace}`;
  if (place.isOff)
    return button(
      { class: 'action action-primary', id, 'aria-label': `${say.switchOn}: ${name}` },
      () => act.now(() => switchPlace(place, false)),
      say.switchOn,
    );
  return button(
    { class: 'action action-danger', id, 'aria-label': `${say.switchOff}: ${name}` },
    () =>
      act.confirmed(say.switchOffTitle(name), say.switchOffDetail, say.switchOff, () =>
        switchPlace(place, true),
      ),
    say.switchOff,
  );
}
