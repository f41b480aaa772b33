// The baseline: random playouts under the thesis rules, the same algorithm and random stream as the kernels.
// Arrays come from Python; see `cpp_baseline.py`. Built with plain -O3, for any machine of the architecture.
#include <algorithm>
#include <cstdint>

namespace {

constexpr int kPlayers = 2;
constexpr int kTableArmies = 128;
constexpr int kChunks = 3;
constexpr int kSlack = 1;
constexpr int kMaxRegions = 1024;
constexpr int8_t kOver = 2;

struct Rng {
    uint64_t* s;
    static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
    uint64_t next() {
        const uint64_t s0 = s[0];
        uint64_t s1 = s[1];
        const uint64_t result = rotl(s0 + s1, 17) + s0;
        s1 ^= s0;
        s[0] = rotl(s0, 49) ^ s1 ^ (s1 << 21);
        s[1] = rotl(s1, 28);
        return result;
    }
    int64_t below(int64_t n) { return int64_t(((next() >> 32) * uint64_t(n)) >> 32); }
};

struct Board {
    int n, n_super;
    const int32_t *start, *target, *member_start, *members, *bonus;
};

struct Attack {
    int32_t source, target, armies;
};

int64_t draw(const uint64_t* table, int64_t n, Rng& rng) {
    const uint64_t bits = rng.next();
    const uint64_t column = ((bits >> 32) * uint64_t(n + 1)) >> 32;
    const uint64_t entry = table[n * (n + 1) / 2 + int64_t(column)];
    return (bits & 0xFFFFFFFFu) < (entry >> 32) ? int64_t(column) : int64_t(entry & 0xFFFFFFFFu);
}

int64_t kills(const uint64_t* table, int64_t n, Rng& rng) {
    int64_t roll = 0;
    for (; n > kTableArmies; n -= kTableArmies) roll += draw(table, kTableArmies, rng);
    return roll + draw(table, n, rng);
}

int64_t income(const Board& board, int64_t base, const int8_t* owner, int player) {
    int64_t total = base;
    for (int s = 0; s < board.n_super; ++s) {
        bool whole = true;
        for (int i = board.member_start[s]; whole && i < board.member_start[s + 1]; ++i)
            whole = owner[board.members[i]] == player;
        if (whole) total += board.bonus[s];
    }
    return total;
}

int random_orders(const Board& board, const int8_t* owner, const int32_t* army, int player, int64_t available,
                  int32_t* deploy, Attack* attacks, Rng& rng) {
    int32_t regions[kMaxRegions], candidates[kMaxRegions];
    std::fill(deploy, deploy + board.n, 0);
    int count = 0;
    for (int r = 0; r < board.n; ++r) {
        bool foreign = false;
        for (int e = board.start[r]; e < board.start[r + 1]; ++e) foreign |= owner[board.target[e]] != player;
        regions[count] = r;
        count += foreign & (owner[r] == player);
    }
    if (count == 0) return 0;
    int64_t before = 0;
    for (int i = 0; i < kChunks; ++i) {
        const int64_t upto = available * (i + 1) / kChunks;
        deploy[regions[rng.below(count)]] += int32_t(upto - before);
        before = upto;
    }
    uint64_t bits = 0;
    int kept = 0;
    for (int i = 0; i < count; ++i, bits >>= 1) {
        if (i % 64 == 0) bits = rng.next();
        regions[kept] = regions[i];
        kept += int(bits & 1);
    }
    int n_attacks = 0;
    for (int i = 0; i < kept; ++i) {
        const int r = regions[i];
        const int64_t free = int64_t(army[r]) + deploy[r] - 1;
        int found = 0;
        for (int e = board.start[r]; e < board.start[r + 1]; ++e) {
            const int q = board.target[e];
            candidates[found] = q;
            found += (owner[q] != player) & (army[q] <= free + kSlack);
        }
        if (found == 0 || free < 1) continue;
        attacks[n_attacks++] = {r, candidates[rng.below(found)], int32_t(free)};
    }
    return n_attacks;
}

void carry_out(const uint64_t* const* tables, int8_t* owner, int32_t* army, int player, const Attack& attack, Rng& rng) {
    if (owner[attack.source] != player) return;
    const int64_t sent = std::min<int64_t>(attack.armies, army[attack.source] - 1);
    if (sent < 1) return;
    if (owner[attack.target] == player) {
        army[attack.source] -= int32_t(sent);
        army[attack.target] += int32_t(sent);
        return;
    }
    const int64_t defenders = army[attack.target];
    const int64_t killed = std::min(kills(tables[0], sent, rng), defenders);
    const int64_t lost = std::min(kills(tables[1], defenders, rng), sent);
    if (killed < defenders) {
        army[attack.target] = int32_t(defenders - killed);
        army[attack.source] -= int32_t(lost);
        return;
    }
    army[attack.source] -= int32_t(sent);
    if (lost == sent) {
        army[attack.target] = 1;
    } else {
        owner[attack.target] = int8_t(player);
        army[attack.target] = int32_t(sent - lost);
    }
}

}  // namespace

extern "C" int64_t play_out(int n, int n_super, int n_edges, const int32_t* start, const int32_t* target,
                            const int32_t* member_start, const int32_t* members, const int32_t* bonus,
                            const uint64_t* attack_table, const uint64_t* defense_table, int64_t base, int8_t* owners,
                            int32_t* armies, int32_t* round, int8_t* phase, int32_t* eliminated_at, int8_t* winner,
                            uint64_t* dice, uint64_t* policy_rng, int64_t first, int64_t last, int64_t rounds,
                            Attack* attack_buffer) {
    const Board board{n, n_super, start, target, member_start, members, bonus};
    const uint64_t* tables[2] = {attack_table, defense_table};
    int32_t deploy[kPlayers][kMaxRegions];
    Attack* attacks[kPlayers] = {attack_buffer, attack_buffer + n_edges};
    int64_t played = 0;
    for (int64_t b = first; b < last; ++b) {
        int8_t* owner = owners + b * n;
        int32_t* army = armies + b * n;
        Rng rng{dice + 2 * b};
        for (int64_t i = 0; i < rounds && phase[b] != kOver; ++i, ++played) {
            int counts[kPlayers] = {0, 0}, cursor[kPlayers] = {0, 0};
            for (int p = 0; p < kPlayers; ++p) {
                Rng own{policy_rng + 2 * (kPlayers * b + p)};
                counts[p] = random_orders(board, owner, army, p, income(board, base, owner, p), deploy[p], attacks[p], own);
            }
            for (int p = 0; p < kPlayers; ++p)
                for (int r = 0; r < n; ++r) army[r] += deploy[p][r];
            for (;;) {
                int order[kPlayers], waiting = 0;
                for (int p = 0; p < kPlayers; ++p)
                    if (cursor[p] < counts[p]) order[waiting++] = p;
                if (waiting == 0) break;
                if (waiting == 2 && rng.below(2) == 0) std::swap(order[0], order[1]);
                for (int k = 0; k < waiting; ++k)
                    carry_out(tables, owner, army, order[k], attacks[order[k]][cursor[order[k]]++], rng);
            }
            ++round[b];
            int alive = 0, survivor = -1;
            for (int p = 0; p < kPlayers; ++p) {
                int held = 0;
                for (int r = 0; r < n; ++r) held += owner[r] == p;
                if (held > 0) {
                    ++alive;
                    survivor = p;
                } else if (eliminated_at[kPlayers * b + p] == 0) {
                    eliminated_at[kPlayers * b + p] = round[b];
                }
            }
            if (alive <= 1) {
                phase[b] = kOver;
                winner[b] = int8_t(survivor);
            }
        }
    }
    return played;
}
