// Dark or light, as the system has it unless chosen here.

class Theme {
  name = $state(document.documentElement.dataset.theme ?? 'dark');

  toggle(): void {
    this.name = this.name === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = this.name;
    try {
      localStorage.setItem('warlight.theme', this.name);
    } catch {
      // not kept where storage is forbidden
    }
  }
}

export const theme = new Theme();
