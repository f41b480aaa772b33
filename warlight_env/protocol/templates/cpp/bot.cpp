// A minimal bot for versions 1 and 2 of the text protocol of the Warlight AI Challenges (C++17).
// Build and run it with: g++ -O2 -std=c++17 -o bot bot.cpp && ./bot

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

/// Stores the messages of the game server, and answers its requests.
class Bot {
public:
    /// Process a line. Return true if the line is a request; `answer` then has the answer.
    bool hear(const Words& words, std::string& answer) {
        const std::string& head = words[0];
        const std::string second = words.size() > 1 ? words[1] : "";
        if (head == "settings" && second == "your_bot") {
            name_ = words.at(2);
        } else if (head == "settings" && second == "starting_armies") {
            income_ = std::stoi(words.at(2));
        } else if (head == "setup_map" && second == "regions") {
            for (size_t i = 2; i + 1 < words.size(); i += 2) {
                super_region_[std::stoi(words[i])] = std::stoi(words[i + 1]);
                ++size_[std::stoi(words[i + 1])];
            }
        } else if (head == "setup_map" && second == "neighbors") {
            for (size_t i = 2; i + 1 < words.size(); i += 2) {
                std::istringstream near(words[i + 1]);
                for (std::string other; std::getline(near, other, ',');) {
                    neighbors_[std::stoi(words[i])].insert(std::stoi(other));
                    neighbors_[std::stoi(other)].insert(std::stoi(words[i]));
                }
            }
        } else if (head == "update_map") {
            owner_.clear();
            army_.clear();
            for (size_t i = 1; i + 2 < words.size(); i += 3) {
                owner_[std::stoi(words[i])] = words[i + 1];
                army_[std::stoi(words[i])] = std::stoi(words[i + 2]);
            }
        } else if (head == "pick_starting_regions") {  // challenge 1: the best six, in order
            answer = pick(words, 6);
            return true;
        } else if (head == "pick_starting_region") {  // challenge 2: one region
            answer = pick(words, 1);
            return true;
        } else if (head == "go") {
            answer = second == "place_armies" ? place() : attack();
            if (answer.empty()) answer = "No moves";
            return true;
        }
        return false;
    }

private:
    bool mine(int region) const {
        const auto found = owner_.find(region);
        return found != owner_.end() && found->second == name_;
    }

    /// Return the best offered regions, best first. A region of a smaller super region is better.
    std::string pick(const Words& words, size_t count) {
        std::vector<int> offered;
        for (size_t i = 2; i < words.size(); ++i) offered.push_back(std::stoi(words[i]));
        std::stable_sort(offered.begin(), offered.end(),
                         [this](int a, int b) { return size_[super_region_[a]] < size_[super_region_[b]]; });
        std::string answer;
        for (size_t i = 0; i < std::min(count, offered.size()); ++i) {
            answer += (i ? " " : "") + std::to_string(offered[i]);
        }
        return answer;
    }

    /// Return the placement: all new armies go to the border region with the most armies.
    std::string place() {
        int best = 0;
        for (const auto& [region, owner] : owner_) {
            if (owner != name_) continue;
            const auto& near = neighbors_[region];
            const bool border = std::any_of(near.begin(), near.end(), [this](int n) { return !mine(n); });
            if (best == 0 || (border && army_[region] > army_[best])) best = region;
        }
        if (best == 0) return "";
        army_[best] += income_;
        return name_ + " place_armies " + std::to_string(best) + " " + std::to_string(income_);
    }

    /// Return attacks and transfers. Each region attacks at most one weaker neighbour.
    std::string attack() {
        std::string moves;
        int count = 0;
        for (const auto& [region, owner] : owner_) {
            const int spare = army_[region] - 1;
            if (owner != name_ || spare < 1 || count == 50) continue;
            int target = 0;
            for (int near : neighbors_[region]) {
                if (owner_.count(near) && !mine(near) && (!target || army_[near] < army_[target])) target = near;
            }
            bool attacks = target && spare > 1.5 * army_[target];
            if (!target && spare > 1) {
                target = *neighbors_[region].begin();
                attacks = true;
            }
            if (!attacks) continue;
            moves += (count++ ? ", " : "") + name_ + " attack/transfer " + std::to_string(region) + " " +
                     std::to_string(target) + " " + std::to_string(spare);
        }
        return moves;
    }

    std::string name_ = "player1";
    std::map<int, int> super_region_, size_, army_;
    std::map<int, std::set<int>> neighbors_;
    std::map<int, std::string> owner_;  // only visible regions
    int income_ = 5;
};

/// Answer lines until the input ends. Print debug output only to std::cerr.
int main() {
    Bot bot;
    for (std::string line, answer; std::getline(std::cin, line);) {
        std::istringstream in(line);
        Words words;
        for (std::string word; in >> word;) words.push_back(word);
        if (!words.empty() && bot.hear(words, answer)) std::cout << answer << std::endl;
    }
}
