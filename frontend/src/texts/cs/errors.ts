// Czech of errors: of the server and of the rules.
export const errors = {
  'the request was cancelled': 'dotaz byl zrušen',
  'the server says: {error}': 'server hlásí: {error}',
  'the server’s token is missing or wrong: open the address that the server printed':
    'klíč serveru chybí nebo je špatný: otevři adresu, kterou server vypsal',
  'too many requests: try again in a moment': 'příliš mnoho požadavků: zkus to za chvíli znovu',
  'other users are sending logs or maps: try again in a moment': 'záznamy nebo mapy právě posílají jiní: zkus to za chvíli znovu',
  'the request is too large: at most {bytes, number} bytes are allowed': 'požadavek je příliš velký: dovoleno je nejvýš {bytes, number} B',
  'the request did not arrive within {seconds, number} s: try again': 'požadavek nepřišel do {seconds, number} s: zkus to znovu',
  'the server is busy: try again in a moment': 'server má moc práce: zkus to za chvíli znovu',
  'the request takes more than {seconds, number} s, the limit of this server': 'požadavek trvá víc než {seconds, number} s, limit tohoto serveru',
  'the request needs more memory than the server allows': 'požadavek potřebuje víc paměti, než server dovoluje',
  'the process for this request failed: {reason}': 'proces pro tento požadavek selhal: {reason}',
  'the server cannot do that now: {reason}': 'server to teď nemůže udělat: {reason}',
  'the server cannot write: {reason}; nothing was changed': 'server nemůže zapisovat: {reason}; nic se nezměnilo',
  'the game is paused and nothing is lost: the server cannot write its log ({reason})':
    'hra je pozastavená a nic se neztratilo: server nemůže zapsat její záznam ({reason})',
  'the game cannot continue ({kind}): see the server’s log': 'hra nemůže pokračovat ({kind}): důvod je ve výpisu serveru',
  'the server has {n, plural, one {# game} other {# games}}, and all are in use: try again later':
    '{n, plural, one {na serveru už je # hra} few {na serveru už jsou # hry} many {na serveru už je # hry} other {na serveru už je # her}} a všechny se používají: zkus to později',
  'the games on the server have {size, number} MiB, and all are in use: try again later':
    'hry na serveru mají už {size, number} MiB a všechny se používají: zkus to později',

  'there is no such game, or the link has a wrong token': 'taková hra není, nebo je v odkazu špatný klíč',
  'this server has no bot {bot}': 'tento server nemá bota {bot}',
  'player {player}: the name has characters that cannot be printed': 'hráč {player}: jméno má znaky, které nelze vypsat',
  'this token is only for watching': 'tento klíč je jen ke sledování',
  'only games between bots can be paused': 'pozastavit lze jen hry mezi boty',

  'the game is over: you cannot send a turn': 'hra skončila: tah už odevzdat nelze',
  'the game is in another phase: you cannot send this turn now': 'hra je v jiné fázi: tento tah teď odevzdat nelze',
  'the turn is for round {number}, but the game is in round {now}': 'tah je pro kolo {number}, ale hra je v kole {now}',
  'this turn is already committed': 'tento tah už je odevzdaný',
  'it is not the turn of this seat': 'toto místo teď není na tahu',
  'in a game of several people you cannot take a turn back': 've hře více lidí nelze tah vzít zpět',
  'you cannot take a turn back now: the round has started': 'tah teď nelze vzít zpět: kolo už začalo',

  'the replay is available after the end of the game': 'záznam bude, až hra skončí',
  'the analysis is available after the end of the game': 'rozbor bude, až hra skončí',
  'you can play on from an earlier round after the end of the game': 'od dřívějšího kola lze hrát dál, až hra skončí',
  'this player has no turn now: choose another player or round': 'tento hráč teď není na tahu: zvol jiného hráče nebo kolo',
  '{bot}: {reason}': '{bot}: {reason}',
  '{n, plural, one {# bot query is} other {# bot queries are}} still running: try again in a moment':
    '{n, plural, one {# dotaz na boty čeká} few {# dotazy na boty čekají} many {# dotazu na boty čeká} other {# dotazů na boty čeká}} na odpověď: zkus to za chvíli znovu',
  'the bots have too many queries: try again in a moment': 'boti mají příliš dotazů: zkus to za chvíli znovu',
  'the server is analysing other games: try again in a moment': 'server připravuje jiné rozbory: zkus to za chvíli znovu',
  'the analysis failed ({kind}): see the server’s log': 'rozbor selhal ({kind}): důvod je ve výpisu serveru',
  'this game has {rounds} rounds, and the page analyses at most {most} (the command “warlight analyse” has no limit)':
    'tato hra má {rounds} kol a stránka rozebere nejvýš {most} (příkaz „warlight analyse“ limit nemá)',
  'the game ended before its first round': 'hra skončila před prvním kolem',

  'this log cannot be read: {reason}': 'tento záznam nelze přečíst: {reason}',
  'this log is no longer open: open it again': 'tento záznam už není otevřený: otevři ho znovu',
  'the log up to this round has {size, number} MiB: you can play on from at most {most, number} MiB':
    'záznam až do tohoto kola má {size, number} MiB: hrát dál lze z nejvýš {most, number} MiB',
  'this game has no log: run the tournament with --log': 'tato hra nemá záznam: spusť turnaj s --log',
  'there is no tournament {name}': 'turnaj {name} není',

  'more orders than the rules allow in a turn': 'víc rozkazů, než pravidla v tahu dovolují',
  'no such region': 'takové území není',
  'not the player’s region': 'území hráči nepatří',
  'at least one army is needed': 'je potřeba aspoň jedna armáda',
  'more armies than are left of the income': 'víc armád, než zbývá z příjmu',
  'the regions are not neighbours': 'území nesousedí',
  'attacked from there already in this turn': 'odtud se v tomto tahu už útočilo',
  'named twice': 'uvedeno dvakrát',
  'not offered to the player': 'hráči se nenabízí',
  '{n, plural, one {# region} other {# regions}} must be named': 'je potřeba uvést {n} území',
  '{kind, select, deploy {deploy} pick {pick} other {attack}} {n}: {reason}': '{kind, select, deploy {nasazení} pick {výběr} other {útok}} {n}: {reason}',
  'there is no map {name}': 'mapa {name} tu není',
  '{name} is the name of a map of the program: choose another short name': '{name} se jmenuje mapa, která patří k programu: zvol jiný krátký název',
  'there is a map {name} already: replace it, or choose another short name': 'mapa {name} tu už je: nahraďte ji, nebo zvolte jiný krátký název',
  'there are {most} maps already: remove one': '{most, plural, one {Je tu už # mapa} few {Jsou tu už # mapy} many {Je tu už # mapy} other {Je tu už # map}}: jednu odstraňte',
};
