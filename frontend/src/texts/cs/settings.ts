// Czech of the settings.
export const settings = {
  Settings: 'Nastavení',
  Language: 'Jazyk',
  Theme: 'Vzhled',
  'as the system': 'podle systému',
  dark: 'tmavý',
  light: 'světlý',
  'Show rounds': 'Zobrazení kol',
  'all orders at once': 'všechny rozkazy najednou',
  'order by order, {speed}': 'po rozkazech, {speed}',
  Sounds: 'Zvuky',
  Volume: 'Hlasitost',
  'Saved in this browser.': 'Uloží se v tomto prohlížeči.',
};
