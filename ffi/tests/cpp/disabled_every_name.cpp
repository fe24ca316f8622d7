// Each name of the C++ header, compiled to nothing and without the library.
#define XTIMER_DISABLE
#include "every_name.hpp"

int main() {
    return every_name() == 8 && xtimer::sections().empty() ? 0 : 1;
}
