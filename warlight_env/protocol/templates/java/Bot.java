// A minimal bot for versions 1 and 2 of the text protocol of the Warlight AI Challenges (Java 11 or later).
// Run it with: java Bot.java, or faster: javac Bot.java && java Bot

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Stores the messages of the game server, and answers its requests. */
public class Bot {
    private String name = "player1";
    private final Map<Integer, Integer> superRegion = new LinkedHashMap<>();
    private final Map<Integer, TreeSet<Integer>> neighbors = new LinkedHashMap<>();
    private final Map<Integer, String> owner = new LinkedHashMap<>(); // only visible regions
    private final Map<Integer, Integer> army = new LinkedHashMap<>();
    private int income = 5;

    /** Return the offered regions, best first. A region of a smaller super region is better. */
    private List<Integer> pick(String[] words) {
        Map<Integer, Integer> size = new LinkedHashMap<>();
        superRegion.values().forEach(s -> size.merge(s, 1, Integer::sum));
        List<Integer> offered = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
            offered.add(Integer.parseInt(words[i]));
        }
        offered.sort(Comparator.comparing(region -> size.get(superRegion.get(region))));
        return offered;
    }

    private boolean mine(int region) {
        return name.equals(owner.get(region));
    }

    /** Return the placement: all new armies go to the border region with the most armies. */
    private List<String> place() {
        int best = 0;
        for (int region : owner.keySet()) {
            boolean border = neighbors.get(region).stream().anyMatch(n -> !mine(n));
            if (mine(region) && (best == 0 || (border && army.get(region) > army.get(best)))) {
                best = region;
            }
        }
        if (best == 0) {
            return List.of();
        }
        army.merge(best, income, Integer::sum);
        return List.of(name + " place_armies " + best + " " + income);
    }

    /** Return attacks and transfers. Each region attacks at most one weaker neighbour. */
    private List<String> attack() {
        List<String> moves = new ArrayList<>();
        for (int region : owner.keySet()) {
            int spare = army.get(region) - 1;
            if (!mine(region) || spare < 1 || moves.size() == 50) {
                continue;
            }
            int target = 0;
            for (int near : neighbors.get(region)) {
                if (owner.containsKey(near) && !mine(near) && (target == 0 || army.get(near) < army.get(target))) {
                    target = near;
                }
            }
            boolean attacks = target != 0 && spare > 1.5 * army.get(target);
            if (target == 0 && spare > 1) {
                target = neighbors.get(region).first();
                attacks = true;
            }
            if (attacks) {
                moves.add(name + " attack/transfer " + region + " " + target + " " + spare);
            }
        }
        return moves;
    }

    /** Process a line. Return the answer if the line is a request, else null. */
    private String hear(String[] words) {
        String kind = words[0].equals("settings") || words[0].equals("setup_map") || words[0].equals("go")
                ? words[0] + " " + words[1] : words[0];
        switch (kind) {
            case "settings your_bot":
                name = words[2];
                return null;
            case "settings starting_armies":
                income = Integer.parseInt(words[2]);
                return null;
            case "setup_map regions":
                for (int i = 2; i + 1 < words.length; i += 2) {
                    superRegion.put(Integer.parseInt(words[i]), Integer.parseInt(words[i + 1]));
                    neighbors.put(Integer.parseInt(words[i]), new TreeSet<>());
                }
                return null;
            case "setup_map neighbors":
                for (int i = 2; i + 1 < words.length; i += 2) {
                    int region = Integer.parseInt(words[i]);
                    for (String near : words[i + 1].split(",")) {
                        neighbors.get(region).add(Integer.parseInt(near));
                        neighbors.get(Integer.parseInt(near)).add(region);
                    }
                }
                return null;
            case "update_map":
                owner.clear();
                army.clear();
                for (int i = 1; i + 2 < words.length; i += 3) {
                    owner.put(Integer.parseInt(words[i]), words[i + 1]);
                    army.put(Integer.parseInt(words[i]), Integer.parseInt(words[i + 2]));
                }
                return null;
            case "pick_starting_regions": { // challenge 1: the best six, in order
                List<Integer> picks = pick(words);
                StringBuilder answer = new StringBuilder();
                for (int region : picks.subList(0, Math.min(6, picks.size()))) {
                    answer.append(answer.length() == 0 ? "" : " ").append(region);
                }
                return answer.toString();
            }
            case "pick_starting_region": // challenge 2: one region
                return String.valueOf(pick(words).get(0));
            case "go place_armies":
                return answer(place());
            case "go attack/transfer":
                return answer(attack());
            default:
                return null;
        }
    }

    private static String answer(List<String> orders) {
        return orders.isEmpty() ? "No moves" : String.join(", ", orders);
    }

    /** Answer lines until the input ends. Print debug output only to System.err. */
    public static void main(String[] arguments) throws IOException {
        Bot bot = new Bot();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split("\\s+");
            String answer = words.length > 1 || words[0].equals("update_map") ? bot.hear(words) : null;
            if (answer != null) {
                System.out.println(answer);
                System.out.flush();
            }
        }
    }
}
