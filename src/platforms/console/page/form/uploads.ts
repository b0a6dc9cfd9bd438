import type { WireFile, WireOption, WireValues } from '../../api/wire.ts';
import { ApiError, fileUrl, uploadFile } from '../api.ts';
import { type Attributes, element, icon, iconButton, newElementId } from '../elements/dom.ts';
import { formatSize, strings } from '../words/index.ts';

interface Upload {
  readonly node: HTMLElement;
  file?: WireFile;
}

/** Files to send: uploaded as soon as they are added, shown as chips that can be removed. */
export class Uploads {
  readonly node = element('div', { class: 'uploads' });
  readonly #uploads: Upload[] = [];
  #pending: Promise<unknown> = Promise.resolve();
  readonly #maxBytes: number;
  readonly #onFault: (sentence: string) => void;

  constructor(maxBytes: number, onFault: (sentence: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onFault = onFault;
  }

  /** Resolves when no upload is in progress. */
  async ready(): Promise<void> {
    await this.#pending;
  }

  /** The uploaded files. */
  get files(): WireFile[] {
    return this.#uploads.flatMap((upload) => upload.file ?? []);
  }

  /** Starts to upload files. */
  add(files: Iterable<File>): void {
    this.#pending = Promise.all([this.#pending, ...Array.from(files, (file) => this.#add(file))]);
  }

  /** Shows a file that is already uploaded. */
  addUploaded(file: WireFile): void {
    const upload = this.#show(file.name, file.size);
    this.#showUploaded(upload, file);
  }

  clear(): void {
    for (const upload of this.#uploads.splice(0)) upload.node.remove();
  }

  async #add(file: File): Promise<void> {
    if (file.size > this.#maxBytes) {
      this.#onFault(strings.fileTooLarge(file.name, formatSize(this.#maxBytes)));
      return;
    }
    const upload = this.#show(file.name, file.size);
    try {
      this.#showUploaded(upload, await uploadFile(file));
    } catch (error) {
      this.#remove(upload);
      const tooLarge = error instanceof ApiError && error.fault === 'too-large';
      this.#onFault(
        tooLarge
          ? strings.fileTooLarge(file.name, formatSize(this.#maxBytes))
          : strings.uploadFailed(file.name),
      );
    }
  }

  #show(name: string, size: number): Upload {
    const remove = iconButton('close', strings.removeFile(name), () => this.#remove(upload));
    const node = element(
      'div',
      { class: 'upload uploading', title: name },
      element('span', { class: 'upload-image' }, icon('file')),
      element('span', { class: 'file-name' }, name),
      element('span', { class: 'file-size' }, formatSize(size)),
      remove,
    );
    const upload: Upload = { node };
    this.#uploads.push(upload);
    this.node.append(node);
    return upload;
  }

  #showUploaded(upload: Upload, file: WireFile): void {
    upload.file = file;
    upload.node.classList.remove('uploading');
    if (file.kind === 'image') {
      upload.node
        .querySelector('.upload-image')
        ?.replaceChildren(element('img', { src: fileUrl(file), alt: '' }));
    }
  }

  #remove(upload: Upload): void {
    const index = this.#uploads.indexOf(upload);
    if (index >= 0) this.#uploads.splice(index, 1);
    upload.node.remove();
  }
}

/** The field for a command's files: choose, drop or paste as many as it takes. */
export class FileField implements FormField {
  readonly node: HTMLElement;
  readonly #options: readonly WireOption[];
  readonly #uploads: Uploads;
  readonly #refusal = element('div', { class: 'refusal', role: 'alert' });

  constructor(options: readonly WireOption[], held: readonly WireFile[], maxBytes: number) {
    this.#options = options;
    this.#uploads = new Uploads(maxBytes, (sentence) => this.#refusal.append(element('div', {}, sentence)));
    for (const file of held.slice(0, options.length)) this.#uploads.addUploaded(file);
    const id = newElementId();
    const [first] = options;
    const picker = filePicker(
      { class: 'visually-hidden', id, multiple: options.length > 1, accept: `${first?.media}/*` },
      (files) => this.#add(files),
    );
    const drop = element(
      'label',
      { class: 'drop', for: id },
      icon('attach'),
      element('span', {}, strings.chooseFiles),
      element('span', { class: 'field-rules' }, strings.fileLimit(options.length, formatSize(maxBytes))),
    );
    const name = options.length > 1 ? `${first?.name} … ${options.at(-1)?.name}` : (first?.name ?? '');
    this.node = element(
      'div',
      { class: 'form-field field-file' },
      element('span', { class: 'field-name' }, name),
      element('p', { class: 'field-description' }, first?.description ?? ''),
      picker,
      drop,
      this.#uploads.node,
      this.#refusal,
    );
    this.#listen(drop);
  }

  ready(): Promise<void> {
    return this.#uploads.ready();
  }

  values(): WireValues {
    const entries = this.#uploads.files
      .slice(0, this.#options.length)
      .map((file, index) => [this.#options[index]?.name ?? '', { file: file.id }] as const);
    return Object.fromEntries(entries);
  }

  #listen(drop: HTMLElement): void {
    for (const name of ['dragenter', 'dragover']) {
      drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.add('dropping');
      });
    }
    drop.addEventListener('dragleave', () => drop.classList.remove('dropping'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('dropping');
      this.#add(event.dataTransfer?.files ?? []);
    });
    // Files pasted anywhere in the form are added here.
    requestAnimationFrame(() => {
      const form = this.node.closest('form');
      if (form) onPastedFiles(form, (files) => this.#add(files));
    });
  }

  #add(files: Iterable<File>): void {
    this.#refusal.replaceChildren();
    const room = this.#options.length - this.#uploads.files.length;
    const all = [...files];
    if (all.length > room)
      this.#refusal.append(element('div', {}, strings.onlyRoomFor(this.#options.length)));
    this.#uploads.add(all.slice(0, Math.max(0, room)));
  }
}

/** An input by which files are chosen, any number of times. */
export function filePicker(attributes: Attributes, add: (files: Iterable<File>) => void): HTMLInputElement {
  const picker = element('input', { type: 'file', ...attributes });
  picker.addEventListener('change', () => {
    add([...(picker.files ?? [])]);
    picker.value = '';
  });
  return picker;
}

/** What's done with files that are pasted somewhere. */
export function onPastedFiles(node: HTMLElement, add: (files: Iterable<File>) => void): void {
  node.addEventListener('paste', (event) => {
    const files = event.clipboardData?.files;
    if (!files?.length) return;
    event.preventDefault();
    add(files);
  });
}

/** A form field for one option, or for several file options. */
export interface FormField {
  readonly node: HTMLElement;
  /** Resolves when its uploads are done. */
  ready?(): Promise<void>;
  /** The entered values; options left empty are absent. */
  values(): WireValues;
}
