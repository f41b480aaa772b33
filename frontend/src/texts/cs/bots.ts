// Czech of what the server says about bots: descriptions and levels, as the bots' profiles have them in Python.
export const bots = {
  'easy': 'lehký',
  'medium': 'střední',
  'hard': 'těžký',
  'A policy from your own folder.': 'Strategie z tvé vlastní složky.',
  'An agent from another package.': 'Agent z jiného balíčku.',
  'A trained policy.': 'Natrénovaná strategie.',
  'A trained model of Stable-Baselines3.': 'Natrénovaný model ze Stable-Baselines3.',
  'A program that implements the AI Challenge protocol, in its own process.': 'Program s protokolem AI Challenge, ve vlastním procesu.',
  'Any agent in its own process, with limits on time, memory and network.':
    'Libovolný agent ve vlastním procesu, s omezením času, paměti, procesů a sítě.',
  'A neural network for every map, without search.': 'Neuronová síť pro každou mapu, bez prohledávání.',
  'A neural network for every map that was trained under fog.': 'Neuronová síť pro každou mapu, která se učila v mlze.',
  'A neural network that was trained under fog on the world map.': 'Neuronová síť, která se učila v mlze na mapě světa.',
  'A neural network that was trained on the world map only.': 'Neuronová síť, která se učila jen na mapě světa.',
  'A neural network that was trained on the small map.': 'Neuronová síť, která se učila na malé mapě.',
  'Plays random orders.': 'Hraje náhodné rozkazy.',
  'Plays a random one of a few sensible turns.': 'Hraje náhodně jeden z několika rozumných tahů.',
  'Gathers one big army and attacks with it.': 'Shromáždí jednu velkou armádu a útočí s ní.',
  'Attacks every weaker neighbour in every round.': 'Každé kolo útočí na každého slabšího souseda.',
  'Looks one round ahead and plays the best turn.': 'Dívá se o kolo dopředu a hraje nejlepší tah.',
  'Expects the best answer to each of its turns.': 'Na každý svůj tah čeká nejlepší odpověď.',
  'Looks ahead, and assumes that each player wants the best for itself.':
    'Dívá se dopředu a počítá s tím, že každý hráč chce to nejlepší pro sebe.',
  'Tries random turns and plays the best one.': 'Zkouší náhodné tahy a hraje ten nejlepší.',
  'Tries turns in many simulated games, and good turns more often.':
    'Zkouší tahy v mnoha simulovaných hrách, dobré tahy častěji.',
  'Tries turns in many simulated games, without defensive deploys.':
    'Zkouší tahy v mnoha simulovaných hrách, bez obranného nasazení.',
  'Tries turns in many simulated games, as in a thesis about this game.':
    'Zkouší tahy v mnoha simulovaných hrách, jak popisuje diplomová práce o této hře.',
  'Searches two trees in parallel and combines the results.': 'Prohledává souběžně dva stromy a výsledky spojí.',
  'Plans its goals without search: bonuses, captures, borders.': 'Plánuje cíle bez prohledávání: bonusy, výboje, hranice.',
  'Searches for an equilibrium of turns.': 'Hledá rovnováhu tahů.',
  'Guesses the hidden regions in fog, then lets another bot play.': 'Odhadne skrytá území v mlze a pak nechá hrát jiného bota.',
};
