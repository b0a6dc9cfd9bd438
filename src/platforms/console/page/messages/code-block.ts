import { button, element } from '../elements/dom.ts';
import { icon } from '../elements/icons.ts';
import { strings } from '../words/index.ts';

/** How long “Copied” is shown, in milliseconds. */
const confirmation = 1_800;

/** Creates a code block with its language and a copy button. */
export function codeBlock(language: string | undefined): { outside: HTMLElement; inside: HTMLElement } {
  const inside = element('code');
  const label = element('span', {}, strings.copy);
  const copy = button(
    { class: 'copy' },
    () => void copyText(inside.textContent ?? '', label),
    icon('copy'),
    label,
  );
  const name = language === undefined ? strings.code : strings.codeIn(language);
  const outside = element(
    'div',
    { class: 'code' },
    element('div', { class: 'code-head' }, element('span', { class: 'language' }, language ?? ''), copy),
    element('pre', { tabindex: 0, role: 'region', 'aria-label': name }, inside),
  );
  return { outside, inside };
}

async function copyText(text: string, label: HTMLElement): Promise<void> {
  // Only secure contexts have a clipboard, plain http from another machine doesn't.
  const copied = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : copyBySelection(text);
  if (!copied) return;
  label.textContent = strings.copied;
  setTimeout(() => {
    label.textContent = strings.copy;
  }, confirmation);
}

function copyBySelection(text: string): boolean {
  const area = element('textarea', { class: 'visually-hidden' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
