// model.hpp: the language model: embedding, hidden layers, softmax, Adam, and its checkpoint.
#pragma once

#include "text.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

// out[r][c] += sum over d of left(r, d) * right[d][c], four d at a time. `left` is read with two
// strides, so that a transposed matrix costs nothing; the inner loop runs along c and vectorises.
inline void multiply_add(float *__restrict out, std::size_t rows, std::size_t columns,
                         const float *left, std::size_t row_stride, std::size_t depth_stride,
                         const float *__restrict right, std::size_t depth) {
    for (std::size_t r = 0; r < rows; ++r) {
        float *__restrict o = out + r * columns;
        const float *l = left + r * row_stride;
        std::size_t d = 0;
        for (; d + 4 <= depth; d += 4) {
            const float l0 = l[d * depth_stride], l1 = l[(d + 1) * depth_stride];
            const float l2 = l[(d + 2) * depth_stride], l3 = l[(d + 3) * depth_stride];
            const float *r0 = right + d * columns, *r1 = r0 + columns;
            const float *r2 = r1 + columns, *r3 = r2 + columns;
            for (std::size_t c = 0; c < columns; ++c)
                o[c] += l0 * r0[c] + l1 * r1[c] + l2 * r2[c] + l3 * r3[c];
        }
        for (; d < depth; ++d)
            for (std::size_t c = 0; c < columns; ++c)
                o[c] += l[d * depth_stride] * right[d * columns + c];
    }
}

class model {
  public:
    static constexpr std::size_t context = 16, embedding = 16, hidden1 = 192, hidden2 = 128;
    static constexpr float dropout = 0.3f; // the share of hidden units silenced in training

    std::vector<float> parameters, gradient; // the embedding, then each layer's weights and biases

    explicit model(std::uint64_t seed) {
        std::size_t used = 256 * embedding, inputs = context * embedding, n = 0;
        for (const std::size_t outputs : {hidden1, hidden2, std::size_t{256}}) {
            layers[n++] = {inputs, outputs, used, used + inputs * outputs, {}};
            used += (inputs + 1) * outputs;
            inputs = outputs;
        }
        for (auto *numbers : {&parameters, &gradient, &mean, &square}) numbers->resize(used);
        // Uniform: the embedding within 0.5, weights in He's range; biases stay 0.
        const auto fill = [&](std::size_t first, std::size_t last, float range) {
            for (std::size_t i = first; i < last; ++i)
                parameters[i] =
                    range * (static_cast<float>(random_at(seed, i) >> 40) / 8388608.0f - 1);
        };
        fill(0, 256 * embedding, 0.5f);
        for (const layer &l : layers)
            fill(l.weights, l.biases, std::sqrt(6.0f / static_cast<float>(l.inputs)));
    }

    // The batch's loss in nats, summed over its rows. `noise` chooses the units that drop out in
    // training; 0 keeps all.
    double forward(const batch &batch, std::uint32_t noise = 0) {
        embedded.resize(batch.inputs.size() * embedding);
        for (std::size_t i = 0; i < batch.inputs.size(); ++i)
            std::copy_n(&parameters[batch.inputs[i] * embedding], embedding,
                        &embedded[i * embedding]);
        const std::vector<float> *input = &embedded;
        for (layer &l : layers) {
            l.output.resize(batch.rows * l.outputs);
            for (std::size_t r = 0; r < batch.rows; ++r)
                std::copy_n(&parameters[l.biases], l.outputs, &l.output[r * l.outputs]);
            multiply_add(l.output.data(), batch.rows, l.outputs, input->data(), l.inputs, 1,
                         &parameters[l.weights], l.inputs);
            if (&l != &layers.back()) rectify(l.output, batch.first * l.outputs, noise);
            input = &l.output;
        }
        double loss = 0;
        for (std::size_t r = 0; r < batch.rows; ++r) {
            float *p = &layers.back().output[r * 256], sum = 0; // softmax, in place
            const float most = *std::max_element(p, p + 256);
            for (int c = 0; c < 256; ++c) sum += p[c] = std::exp(p[c] - most);
            for (int c = 0; c < 256; ++c) p[c] /= sum;
            loss -= std::log(std::max(p[batch.targets[r]], 1e-30f));
        }
        return loss;
    }

    // The gradient of the last forward's loss (with noise), times `scale`.
    void backward(const batch &batch, float scale) {
        std::fill(gradient.begin(), gradient.end(), 0.0f);
        std::vector<float> &p = layers.back().output;
        for (std::size_t r = 0; r < batch.rows; ++r) p[r * 256 + batch.targets[r]] -= 1;
        for (float &x : p) x *= scale;
        for (std::size_t n = layers.size(); n-- > 0;) {
            const layer &l = layers[n];
            std::vector<float> &input = n > 0 ? layers[n - 1].output : embedded;
            multiply_add(&gradient[l.weights], l.inputs, l.outputs, input.data(), 1, l.inputs,
                         l.output.data(), batch.rows);
            for (std::size_t r = 0; r < batch.rows; ++r)
                for (std::size_t c = 0; c < l.outputs; ++c)
                    gradient[l.biases + c] += l.output[r * l.outputs + c];
            transposed.resize(l.inputs * l.outputs);
            for (std::size_t i = 0; i < l.inputs; ++i)
                for (std::size_t c = 0; c < l.outputs; ++c)
                    transposed[c * l.inputs + i] = parameters[l.weights + i * l.outputs + c];
            delta.assign(input.size(), 0.0f);
            multiply_add(delta.data(), batch.rows, l.inputs, l.output.data(), l.outputs, 1,
                         transposed.data(), l.outputs);
            if (n > 0)
                for (std::size_t i = 0; i < delta.size(); ++i)
                    delta[i] = input[i] > 0 ? delta[i] / (1 - dropout) : 0;
            input.swap(delta); // the layer's input has served; its gradient takes the place
        }
        for (std::size_t i = 0; i < embedded.size(); ++i)
            gradient[batch.inputs[i / embedding] * embedding + i % embedding] += embedded[i];
    }

    // Adam with decoupled weight decay; steps count from 1.
    void update(long step, float rate) {
        constexpr float b1 = 0.9f, b2 = 0.99f, decay = 0.1f;
        const float c1 = 1 / (1 - std::pow(b1, static_cast<float>(step)));
        const float c2 = 1 / (1 - std::pow(b2, static_cast<float>(step)));
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const float g = gradient[i];
            mean[i] = b1 * mean[i] + (1 - b1) * g;
            square[i] = b2 * square[i] + (1 - b2) * g * g;
            parameters[i] -= rate * (c1 * mean[i] / (std::sqrt(c2 * square[i]) + 1e-8f) +
                                     decay * parameters[i]);
        }
    }

  private:
    struct layer {
        std::size_t inputs, outputs, weights, biases; // sizes, and where its parameters begin
        std::vector<float> output;                    // rows x outputs; in backward its gradient
    };

    // Negative units become 0, and in training some others too. `first` numbers the first unit.
    static void rectify(std::vector<float> &units, std::size_t first, std::uint32_t noise) {
        const auto silenced = static_cast<std::uint32_t>(noise ? dropout * 4294967296.0f : 0);
        const float keep = noise ? 1 / (1 - dropout) : 1;
        for (std::size_t i = 0; i < units.size(); ++i) {
            std::uint32_t h = noise * 0x9E3779B1u + static_cast<std::uint32_t>(first + i);
            h = (h ^ (h >> 16)) * 0x7FEB352Du;
            h = (h ^ (h >> 15)) * 0x846CA68Bu;
            h ^= h >> 16;
            units[i] = units[i] > 0 && h >= silenced ? units[i] * keep : 0;
        }
    }

    std::array<layer, 3> layers;
    std::vector<float> mean, square;                // Adam's moments
    std::vector<float> embedded, delta, transposed; // work space
};

inline std::string checkpoint_head(const std::vector<float> &parameters) {
    return "xtimer train checkpoint 1: " + std::to_string(parameters.size()) + " floats\n";
}

// Writes beside the final name and renames: under that name there is a whole checkpoint or none.
inline void save_checkpoint(const std::string &path, const std::vector<float> &parameters) {
    // A rename would put a file in the place of a device or a pipe.
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path))
        throw std::runtime_error("cannot write the checkpoint '" + path + "': not a regular file");
    const std::string beside = path + ".tmp", head = checkpoint_head(parameters);
    const std::size_t size = parameters.size();
    std::FILE *file = std::fopen(beside.c_str(), "wb");
    bool good = file && std::fwrite(head.data(), 1, head.size(), file) == head.size() &&
                std::fwrite(parameters.data(), sizeof(float), size, file) == size &&
                std::fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file && std::fclose(file) != 0) good = false;
    if (good && std::rename(beside.c_str(), path.c_str()) == 0) return;
    const std::string why = std::strerror(errno);
    if (file) std::remove(beside.c_str());
    throw std::runtime_error("cannot write the checkpoint '" + path + "': " + why);
}

inline void load_checkpoint(const std::string &path, std::vector<float> &parameters) {
    const std::string head = checkpoint_head(parameters);
    std::ifstream file(path, std::ios::binary);
    std::string found(head.size(), '\0');
    file.read(found.data(), static_cast<std::streamsize>(found.size()));
    file.read(reinterpret_cast<char *>(parameters.data()),
              static_cast<std::streamsize>(parameters.size() * sizeof(float)));
    if (!file || found != head)
        throw std::runtime_error("'" + path + "' is not this model's checkpoint");
}
