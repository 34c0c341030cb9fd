// Launches with spaces inside their brackets, as old code formatters left them; nvcc takes them.
// flags: -I@/spaced_launch/by_path
#include "check.h"

#include "spaced_launch/launch.h"

#include "launch_by_path.h"

template <class T> struct box {
    T value;
};

int main()
{
    const int n = 256;
    box<box<box<int> > > deep = {{{n}}}; // not a launch: k << <1, 2>> >(p)
    std::vector<int> want(n, 5);
    dev<int> d(std::vector<int>(n, 1));
    add << <1, n >> >(d, n >> 8);
    add<<<dim3((n >> 8)), deep.value.value.value
        >> > (d, 1);
    launch_in_header(d, n);
    launch_by_path(d, n);
    RAN();
    check_equal("sums", d.get(), want);
    check_equal("text", std::vector<int>{(int)sizeof "<< <1>> >("}, std::vector<int>{11});
    return check_result();
}
