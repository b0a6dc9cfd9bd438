import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { button, element } from '../elements/dom.ts';
import { icon } from '../elements/icons.ts';
import { strings } from '../words/index.ts';

/** Shows an image; a click enlarges it. */
export function imagePreview(file: WireFile): HTMLElement {
  const image = element('img', {
    src: fileUrl(file),
    alt: file.description,
    loading: 'lazy',
    decoding: 'async',
  });
  image.addEventListener('load', () => node.classList.add('picture-loaded'));
  const node = button(
    { class: 'picture', 'aria-label': strings.enlarge(file.description) },
    () => openLarge(file),
    image,
  );
  return node;
}

/** Opens an image in a dialog; Esc, the button or a click outside closes it. */
function openLarge(file: WireFile): void {
  const dialog = element('dialog', { class: 'large', 'aria-label': file.description });
  const close = button(
    { class: 'icon-button', 'aria-label': strings.close },
    () => dialog.close(),
    icon('close'),
  );
  const save = element(
    'a',
    { class: 'icon-button', href: fileUrl(file, true), download: file.name, 'aria-label': strings.download },
    icon('download'),
  );
  dialog.append(
    element('img', { src: fileUrl(file), alt: file.description }),
    element('p', { class: 'large-caption' }, file.description),
    element('div', { class: 'large-tools' }, save, close),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}
