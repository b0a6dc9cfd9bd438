import { button, element } from '../elements/dom.ts';
import { iconOf } from '../elements/icons.ts';
import type { Model } from '../model.ts';
import { strings } from '../words/index.ts';

/** The welcome screen of an empty channel: the four talents, with examples to try. */
export function welcome(model: Model, onExample: (line: string) => void): HTMLElement {
  const talents = Object.entries(strings.talents).filter(([name]) => model.command(name));
  const cards = talents.map(([name, { title, detail }]) => {
    const examples = strings.examples[name as keyof typeof strings.examples];
    return element(
      'section',
      { class: 'talent', 'data-command': name },
      element('h3', {}, iconOf(name), title),
      element('p', {}, detail),
      ...examples.map((example) => button({ class: 'example' }, () => onExample(example), example)),
    );
  });
  return element(
    'div',
    { class: 'welcome' },
    element('span', { class: 'mark', 'aria-hidden': 'true' }),
    element('h1', {}, strings.welcome),
    element('p', {}, strings.welcomeDetail),
    element('p', { class: 'welcome-try' }, strings.tryOne),
    element('div', { class: 'talents' }, ...cards),
  );
}
