import type { WireFile } from '../../api/wire.ts';
import { ApiError, fileUrl, uploadFile } from '../api.ts';
import { button, element, icon } from '../elements/dom.ts';
import { formatSize } from '../elements/format.ts';
import { strings } from '../words/index.ts';

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
    const remove = button(
      { class: 'icon-button', 'aria-label': strings.removeFile(name) },
      () => this.#remove(upload),
      icon('close'),
    );
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
