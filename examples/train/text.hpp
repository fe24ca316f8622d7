// text.hpp: the text, its split, the batches drawn from it, and its bigram model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

// The Markdown files beneath a folder, sorted; hidden folders and build outputs are left out.
inline std::vector<std::string> find_documents(const std::string &root) {
    namespace fs = std::filesystem;
    if (!fs::is_directory(root)) throw std::runtime_error("'" + root + "' is not a folder");
    std::vector<std::string> files;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(root, options), end; entry != end; ++entry) {
        const std::string name = entry->path().filename().string();
        if (name[0] == '.' || name == "target" || name == "node_modules")
            entry.disable_recursion_pending();
        else if (entry->path().extension() == ".md" && entry->is_regular_file())
            files.push_back(entry->path().string());
    }
    if (files.empty()) throw std::runtime_error("there is no Markdown file beneath '" + root + "'");
    std::sort(files.begin(), files.end());
    return files;
}

struct text {
    std::vector<std::uint8_t> bytes;
    std::vector<std::size_t> training, validation; // positions of bytes to predict
};

// Reads the files one after another and holds out every tenth block for validation. A byte is one
// to predict only where `context` bytes stand before it.
inline text read_text(const std::vector<std::string> &files, std::size_t context) {
    text result;
    for (const std::string &name : files) {
        std::ifstream file(name, std::ios::binary);
        if (!file || std::filesystem::is_directory(name))
            throw std::runtime_error("cannot read the text '" + name + "'");
        result.bytes.insert(result.bytes.end(), std::istreambuf_iterator<char>(file), {});
    }
    const std::size_t size = result.bytes.size(), block = std::min<std::size_t>(1000, size / 20);
    if (size < 2000)
        throw std::runtime_error("the text has " + std::to_string(size) +
                                 " bytes; training needs at least 2000");
    std::vector<std::size_t> held_out;
    for (std::size_t p = context; p < size; ++p)
        (p / block % 10 == 9 ? held_out : result.training).push_back(p);
    // At most 5,000 of them, evenly spaced, tell the loss well enough.
    const std::size_t stride = (held_out.size() + 4999) / 5000;
    for (std::size_t i = 0; i < held_out.size(); i += stride)
        result.validation.push_back(held_out[i]);
    return result;
}

// The random number of (seed, index), by splitmix64: what is drawn does not depend on how many
// workers draw.
inline std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = (seed + 1) * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Contexts, and the byte that follows each. `first` numbers row 0 among all workers' rows.
struct batch {
    std::size_t first = 0, rows = 0;
    std::vector<std::uint8_t> inputs, targets; // rows x context, rows

    // Takes the bytes at position(first) to position(last - 1).
    template <class Position>
    void load(const text &text, std::size_t context, std::size_t from, std::size_t to,
              Position position) {
        first = from;
        rows = to - from;
        inputs.clear();
        targets.clear();
        for (std::size_t row = from; row < to; ++row) {
            const std::uint8_t *target = text.bytes.data() + position(row);
            inputs.insert(inputs.end(), target - context, target);
            targets.push_back(*target);
        }
    }
};

// The validation loss, in nats a byte, of the model that sees one byte: pair counts of the
// training part, smoothed by each byte's own frequency. Of several strengths of smoothing it takes
// the one that suits the validation part best, in the bigram model's favour.
inline double bigram_loss(const text &text) {
    std::vector<double> pair(256 * 256), before(256), alone(256, 1.0);
    for (const std::size_t p : text.training) {
        const std::size_t a = text.bytes[p - 1], b = text.bytes[p];
        pair[256 * a + b] += 1;
        before[a] += 1;
        alone[b] += 1;
    }
    const double all = static_cast<double>(text.training.size() + alone.size());
    double best = std::numeric_limits<double>::infinity();
    for (double strength = 0.25; strength < 300; strength *= 2) {
        double loss = 0;
        for (const std::size_t p : text.validation) {
            const std::size_t a = text.bytes[p - 1], b = text.bytes[p];
            loss -= std::log((pair[256 * a + b] + strength * alone[b] / all) /
                             (before[a] + strength));
        }
        best = std::min(best, loss / static_cast<double>(text.validation.size()));
    }
    return best;
}
