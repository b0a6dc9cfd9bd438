import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { compose } from '../drawing/compose.ts';
import { paintTop } from '../drawing/picture.ts';
import type { Reference } from '../drawing/references.ts';
import type { Layer, Pen } from '../drawing/stage.ts';

/** The scene of a video. */
export interface FrameScene {
  readonly prompt: string;
  readonly seed: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly references: readonly Reference[];
}

/** Share of the width painted beyond either edge, and how much of it the camera uses. */
const marginShare = 0.1;
const cameraShare = 0.7;

/** Layers whose depths differ by less move together. */
const sameDepth = 0.05;

interface Sheet {
  readonly layer: Layer;
  /** Undefined for layers painted again for every frame. */
  readonly picture: Canvas | undefined;
}

/**
 * Draws the frames of a video with parallax: each layer is painted once and then shifted by whole pixels while
 * the camera moves sideways; near layers move faster.
 */
export class Frames {
  readonly #scene: FrameScene;
  readonly #margin: number;
  readonly #canvas: Canvas;
  readonly #pen: Pen;
  readonly #sheets: readonly Sheet[];
  readonly #top: Canvas;

  constructor(scene: FrameScene) {
    const { prompt, seed, width, height } = scene;
    this.#scene = scene;
    this.#margin = Math.round(width * marginShare);
    this.#canvas = createCanvas(width, height);
    this.#pen = this.#canvas.getContext('2d');
    const layers = compose({ prompt, seed, width, height, margin: this.#margin });
    this.#sheets = joined(layers).map((layer) => ({
      layer,
      picture: layer.live ? undefined : this.#prepare(layer),
    }));
    this.#top = createCanvas(width, height);
    paintTop(this.#top.getContext('2d'), scene);
  }

  /** The pixels of the frame at `seconds`, RGBA in rows. */
  at(seconds: number): Uint8ClampedArray {
    const { width, height } = this.#scene;
    const camera = (2 * seconds) / this.#scene.seconds - 1;
    for (const { layer, picture } of this.#sheets) {
      const { x = 0, y = 0, alpha = 1 } = layer.motion?.(seconds) ?? {};
      const left = Math.round(x - camera * layer.depth * this.#margin * cameraShare);
      this.#pen.globalAlpha = alpha;
      if (picture) this.#pen.drawImage(picture, left - this.#margin, Math.round(y));
      else this.#paintLive(layer, seconds, left);
    }
    this.#pen.globalAlpha = 1;
    this.#pen.drawImage(this.#top, 0, 0);
    return this.#pen.getImageData(0, 0, width, height).data;
  }

  #prepare(layer: Layer): Canvas {
    const canvas = createCanvas(this.#scene.width + 2 * this.#margin, this.#scene.height);
    const pen = canvas.getContext('2d');
    pen.translate(this.#margin, 0);
    layer.paint(pen, 0);
    return canvas;
  }

  #paintLive(layer: Layer, seconds: number, left: number): void {
    this.#pen.save();
    this.#pen.translate(layer.depth === 1 ? 0 : left, 0);
    layer.paint(this.#pen, seconds);
    this.#pen.restore();
  }
}

/** Merges adjacent layers that move together, to paint fewer. */
function joined(layers: readonly Layer[]): Layer[] {
  const sheets: Layer[] = [];
  for (const layer of layers) {
    const last = sheets.at(-1);
    if (last && movesWith(last, layer))
      sheets.splice(-1, 1, { depth: last.depth, paint: inTurn(last, layer) });
    else sheets.push(layer);
  }
  return sheets;
}

function movesWith(a: Layer, b: Layer): boolean {
  const isStill = [a, b].every(({ live, motion }) => !live && !motion);
  return isStill && Math.abs(a.depth - b.depth) <= sameDepth;
}

function inTurn(first: Layer, second: Layer): Layer['paint'] {
  return (pen, seconds) => {
    first.paint(pen, seconds);
    second.paint(pen, seconds);
  };
}
