// A picture below the drawing, for tracing. It is stored in this browser only.
import { del, get, set } from 'idb-keyval';

const KEY = 'warlight.picture';
const MOST = 12 * 1024 * 1024; // largest size of a file in bytes

interface Kept {
  data: string;
  width: number;
  height: number;
  opacity: number;
  scale: number;
  fit: number; // initial scale, at which the whole picture fits the sheet
  x: number;
  y: number;
}

export class Backdrop {
  picture = $state.raw<Kept | null>(null);
  trouble = $state<'size' | 'form' | null>(null);
  private timer = 0;

  constructor() {
    get<Kept>(KEY).then(
      (picture) => (this.picture ??= picture ?? null),
      () => undefined, // without storage, there is no stored picture
    );
  }

  /** Load a picture file and fit it to the sheet; sets `trouble` if the file is too large or is not a picture. */
  async take(file: File, [x, y, width, height]: readonly [number, number, number, number]): Promise<void> {
    this.trouble = file.size > MOST ? 'size' : null;
    if (this.trouble) return;
    try {
      const data = await read(file);
      const picture = new Image();
      picture.src = data;
      await picture.decode();
      const [naturalWidth, naturalHeight] = [picture.naturalWidth || width, picture.naturalHeight || height];
      const scale = Math.min(width / naturalWidth, height / naturalHeight);
      this.store({ data, width: naturalWidth, height: naturalHeight, opacity: 0.5, scale, fit: scale, x: x + (width - naturalWidth * scale) / 2, y: y + (height - naturalHeight * scale) / 2 });
    } catch {
      this.trouble = 'form';
    }
  }

  change(values: Partial<Kept>): void {
    if (this.picture) this.store({ ...this.picture, ...values });
  }

  private store(picture: Kept): void {
    this.picture = picture;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => set(KEY, picture).catch(() => undefined), 300);
  }

  remove(): void {
    this.picture = null;
    clearTimeout(this.timer);
    del(KEY).catch(() => undefined);
  }
}

function read(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
