// Dark or light, as the system has it unless chosen here.
import { keep } from './storage';

class Theme {
  name = $state(document.documentElement.dataset.theme ?? 'dark');

  toggle(): void {
    this.name = this.name === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = this.name;
    keep('warlight.theme', this.name);
  }
}

export const theme = new Theme();
