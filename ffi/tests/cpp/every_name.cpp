// Each name of the C++ header.
#include "every_name.hpp"

int main() {
    return every_name() == 8 && xtimer::sections().size() == 7 ? 0 : 1;
}
