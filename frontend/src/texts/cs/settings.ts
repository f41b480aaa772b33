// Czech of the settings.
export const settings = {
  Settings: 'Nastavení',
  Language: 'Jazyk',
  Theme: 'Vzhled',
  'as the system': 'podle systému',
  dark: 'tmavý',
  light: 'světlý',
  'Rounds are played': 'Přehrávání kol',
  'at once': 'najednou',
  'order by order, {speed}': 'po rozkazech, {speed}',
  Sounds: 'Zvuky',
  Volume: 'Hlasitost',
  'Kept in this browser.': 'Uloží se v tomto prohlížeči.',
};
