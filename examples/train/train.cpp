// train.cpp: trains a small byte-level language model on several threads, timed by xtimer.
// Everything that is timed is in this file, but for the all-reduce in workers.hpp.

#include "console.hpp"
#include "model.hpp"
#include "workers.hpp"
#include "xtimer.hpp"

#include <memory>

constexpr std::size_t batch_rows = 256; // of all workers together
constexpr long validate_every = 100;    // steps

// Rises over the first hundred steps, then falls to 0 along a cosine.
float learning_rate(long step, long steps) {
    const float done = static_cast<float>(step) / static_cast<float>(steps);
    const float rise = std::min(1.0f, static_cast<float>(step) / 100);
    return 3e-3f * rise * 0.5f * (1 + std::cos(3.14159265f * done));
}

// Nats a byte on the validation part.
double validate(model &model, const text &text) {
    // No category of its own: it loads as well as computes, and compute may not hold io.
    XTIMER_SCOPE("validation");
    batch batch;
    double loss = 0;
    const std::size_t rows = text.validation.size();
    for (std::size_t first = 0; first < rows; first += batch_rows) {
        {
            XTIMER_SCOPE("load batch", "io");
            batch.load(text, model::context, first, std::min(first + batch_rows, rows),
                       [&](std::size_t row) { return text.validation[row]; });
        }
        XTIMER_SCOPE("forward", "compute");
        loss += model.forward(batch);
    }
    return loss / static_cast<double>(rows);
}

// A worker's own timer keeps each duration of its sections, so that workers can be compared when the
// run is over, as ranks on several machines would be.
std::unique_ptr<xtimer::timer> own_timer() {
    auto config = xtimer::default_config();
    config.lanes = 1;
    config.samples_per_lane = 1 << 16;
    auto timer = std::make_unique<xtimer::timer>(config);
    if (!timer->made())
        throw std::runtime_error("cannot make a worker's timer: " + timer->made().message());
    return timer;
}

// One worker's part of one step.
void work(std::size_t worker, const job &job, const options &options, const text &text,
          model &model, batch &batch, all_reduce &gradients, const xtimer::timer &own,
          double &loss) {
    // A worker's first section opens beneath the main thread's "step". The number, "worker[0]",
    // keeps the workers apart; reports join them to "worker" unless asked not to.
    xtimer::scope scope{xtimer::beneath{job.parent}, xtimer::counted{"worker", worker}};
    xtimer::scope own_step{own, "step"};

    const auto step = static_cast<std::uint64_t>(job.step);
    const bool slow = options.slow_worker == static_cast<long>(worker);
    {
        XTIMER_SCOPE("load batch", "io");
        xtimer::scope own_load{own, "load batch", "io"};
        const auto draw = [&](std::size_t row) {
            return text.training[random_at(options.seed, step * batch_rows + row) %
                                 text.training.size()];
        };
        batch.load(text, model::context, batch_rows * worker / options.workers,
                   batch_rows * (worker + 1) / options.workers, draw);
    }
    for (int times = slow ? 2 : 1; times > 0; --times) {
        {
            XTIMER_SCOPE("forward", "compute");
            xtimer::scope own_forward{own, "forward", "compute"};
            loss = model.forward(batch, static_cast<std::uint32_t>(random_at(options.seed, step)));
        }
        XTIMER_SCOPE("backward", "compute");
        xtimer::scope own_backward{own, "backward", "compute"};
        model.backward(batch, 1.0f / batch_rows);
    }
    {
        xtimer::scope own_reduce{own, "all-reduce", "comm"};
        gradients.sum(worker, model.gradient);
    }

    XTIMER_SCOPE("optimizer", "compute");
    xtimer::scope own_optimizer{own, "optimizer", "compute"};
    model.update(job.step, job.rate);
}

// What the rule is for: a file read inside a computation would count as computing. Its section is
// refused with a sentence, and no number moves.
void break_the_rule() {
    const auto before = xtimer::category_total("io");
    {
        XTIMER_SCOPE("a computation", "compute");
        XTIMER_SCOPE("a file it reads", "io");
    }
    std::printf("a mistake on purpose: %s\n", xtimer::last_error().c_str());
    if (xtimer::category_total("io") != before)
        throw std::runtime_error("a refused section was added to its category");
}

void run(const options &options) {
    if (const auto status = xtimer::forbid("compute", "io"); !status)
        throw std::runtime_error(status.message());

    const auto start = std::chrono::steady_clock::now();
    text text;
    double bigram = 0;
    {
        XTIMER_SCOPE("read text", "io");
        text = read_text(options.text.empty() ? find_documents(options.root) : options.text,
                         model::context);
    }
    {
        XTIMER_SCOPE("bigram", "compute");
        bigram = bigram_loss(text);
    }
    // Each worker has its own model: the same start and the same gradients keep them equal.
    std::vector<model> models(options.workers, model(options.seed));
    std::vector<batch> batches(options.workers);
    std::vector<double> losses(options.workers);
    all_reduce gradients(options.workers);
    std::vector<std::unique_ptr<xtimer::timer>> timers;
    for (std::size_t w = 0; w < options.workers; ++w) timers.push_back(own_timer());
    crew crew(options.workers, [&](std::size_t w, const job &job) {
        work(w, job, options, text, models[w], batches[w], gradients, *timers[w], losses[w]);
    });

    long steps = 0;
    double best = std::numeric_limits<double>::infinity();
    const auto keep_best = [&] {
        const double loss = validate(models[0], text);
        if (!(loss < best)) return;
        best = loss;
        XTIMER_SCOPE("checkpoint", "io");
        save_checkpoint(options.checkpoint, models[0].parameters);
    };
    {
        XTIMER_SCOPE("train");
        progress progress(options.steps, options.quiet);
        const auto deadline = start + std::chrono::duration<double>(options.seconds);
        double average = 0;
        keep_best(); // a place that can't be written to shows before the work, not after
        while (steps < options.steps && std::chrono::steady_clock::now() < deadline) {
            ++steps;
            {
                XTIMER_SCOPE("step");
                crew.run({steps, learning_rate(steps, options.steps), xtimer::current_path()});
            }
            double loss = 0;
            for (const double part : losses) loss += part / batch_rows;
            average = steps == 1 ? loss : 0.98 * average + 0.02 * loss;
            if (steps % validate_every == 0) keep_best();
            progress.show(steps, average, best);
        }
        if (steps % validate_every != 0) keep_best();
    }
    for (const model &model : models)
        if (model.parameters != models[0].parameters)
            throw std::runtime_error("the workers' models differ: the all-reduce went wrong");
    {
        XTIMER_SCOPE("restore", "io");
        load_checkpoint(options.checkpoint, models[0].parameters);
    }
    const double final_loss = validate(models[0], text);
    if (final_loss != best)
        throw std::runtime_error("the checkpoint does not hold the model that was saved");

    std::printf("%zu bytes of text, %zu parameters, %ld steps, %zu workers\n", text.bytes.size(),
                models[0].parameters.size(), steps, options.workers);
    std::printf("validation loss in nats a byte: bigram model %.4f, this model %.4f\n\n", bigram,
                final_loss);
    // Not flattened: each worker has its own rows.
    std::printf("%s\n", xtimer::report(false).c_str());
    if (const auto status = xtimer::save_json(options.json, false); !status)
        throw std::runtime_error("cannot write the profile '" + options.json +
                                 "': " + status.message());
    for (std::size_t w = 0; w < options.workers; ++w) {
        const std::string file = options.profiles + "." + std::to_string(w) + ".xtp";
        const auto rank = static_cast<std::uint32_t>(w);
        const std::string label = "worker " + std::to_string(w);
        const xtimer::status saved(
            xtimer_timer_save_profile(timers[w]->handle(), file.c_str(), rank, label.c_str()));
        if (!saved)
            throw std::runtime_error("cannot write the profile '" + file +
                                     "': " + saved.message());
    }
    std::printf("profiles of the workers: %s.*.xtp\n", options.profiles.c_str());
    std::printf("profile: %s\ncheckpoint: %s\n", options.json.c_str(), options.checkpoint.c_str());
    break_the_rule();
    if (!(final_loss < bigram))
        throw std::runtime_error("the model's loss is not below the bigram model's; give it more "
                                 "text, steps or seconds");
}

int main(int count, char **words) try {
    const options options = parse(count, words);
    if (options.help) std::fputs(usage, stdout);
    else run(options);
    return 0;
} catch (const bad_option &error) {
    std::fprintf(stderr, "train: %s\n", error.what());
    return 2;
} catch (const std::exception &error) {
    std::fprintf(stderr, "train: %s\n", error.what());
    return 1;
}
